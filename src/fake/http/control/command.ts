import type { Schema } from '../../rules/check-schema.ts'

/** The fields of a request: those of the JSON body, or the query parameters of a GET. */
export type Fields = Record<string, unknown>

/** A control route. Requests are checked with its schema before it runs. */
export interface Command {
  summary: string
  /** The fields that it takes, as an object. @default none */
  takes?: Schema
  /** What it answers. */
  answers: Schema
  run(fields: Fields, id: string): unknown
}

/** Control routes by method and path; `{id}` is the last segment. */
export type Commands = Record<string, Command>
