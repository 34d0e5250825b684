import type { ResponseHeaders } from '../transport/transport.ts'

/** Headers over the names and values that `node:http` gives in turn. A class, because every response makes one. */
export class RawHeaders implements ResponseHeaders {
  readonly #lines: readonly string[]

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  get(name: string): string | null {
    return lookUp(this.#lines, name)
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const names = new Set(this.#lines.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))
    for (const name of [...names].sort()) yield [name, this.get(name) ?? '']
  }
}

/** The bit in which a lower-case letter differs. */
const LOWER_CASE = 0x20

/** The value of a header; several lines are joined as fetch joins them. */
function lookUp(lines: readonly string[], name: string): string | null {
  let found: string | null = null
  const first = name.charCodeAt(0) | LOWER_CASE
  for (let index = 0; index < lines.length; index += 2) {
    const current = lines[index]
    if (current === undefined || current.length !== name.length) continue
    // Most names of the same length begin with another letter. To lower the case of all of them takes 0.8 kB a call.
    if ((current.charCodeAt(0) | LOWER_CASE) !== first || current.toLowerCase() !== name.toLowerCase()) continue
    const value = lines[index + 1] ?? ''
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}
