/** An error keeps a longer body as text: a copy without secrets is made of it for each caller. */
const MAX_PARSED_LENGTH = 100_000

/** The body of an answer as an error shows it. */
export function bodyOfError(body: unknown, text: string | undefined): unknown {
  return body === undefined || (text !== undefined && text.length > MAX_PARSED_LENGTH) ? text : body
}
