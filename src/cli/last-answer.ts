import type { AfterResponseHook } from 'etn-market'

export const CREDIT_HEADERS = ['X-Credits-Cost', 'X-Credits-Remaining'] as const

/** What the service answered last, before the client reads it. */
export interface LastAnswer {
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown
  /** Two of one name are joined by a comma. */
  header(name: string): string | null
  /** Credit headers that are there although `reason`. */
  strayCredits(reason: string): string[]
  forget(): void
  readonly hook: AfterResponseHook
}

export function createLastAnswer(): LastAnswer {
  let body: unknown
  let headers = new Headers()
  return {
    get body() {
      return body
    },
    header: (name) => headers.get(name),
    strayCredits: (reason) =>
      CREDIT_HEADERS.filter((name) => headers.has(name)).map((name) => `${name} is there although ${reason}`),
    forget() {
      body = undefined
      headers = new Headers()
    },
    async hook({ response }) {
      headers = response.headers
      body = await response
        .clone()
        .json()
        .catch(() => undefined)
    },
  }
}
