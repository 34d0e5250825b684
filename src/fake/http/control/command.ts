/** The fields of a request: those of the JSON body, or the query parameters of a GET. */
export type Fields = Record<string, unknown>

/** A control route. */
export interface Command {
  summary: string
  /** Names of the fields; `undefined` if the command checks them itself. */
  fields?: readonly string[]
  run(fields: Fields, id: string): unknown
}

/** Control routes by method and path; `{id}` is the last segment. */
export type Commands = Record<string, Command>
