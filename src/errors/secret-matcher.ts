/** Secrets are found by their first characters, so none may be shorter. */
export const MIN_SECRET_LENGTH = 4

/** Beyond this, a pattern of all starts is slower than a look at each position. */
const MAX_STARTS_IN_PATTERN = 32

/** Finds secrets in texts. The time for a text does not grow with the number of secrets. */
export class SecretMatcher {
  /** The representations and how many secrets have each, by their first characters, then by length, the longest first. */
  readonly #byStart = new Map<string, Map<number, Map<string, number>>>()
  /** Finds the next start; undefined when it has to be made anew. Keys of one service usually begin alike. */
  #pattern: RegExp | undefined

  add(secret: string): void {
    for (const text of representations(secret)) {
      const start = text.slice(0, MIN_SECRET_LENGTH)
      const known = this.#byStart.get(start)
      const uses = known?.get(text.length) ?? new Map<string, number>()
      uses.set(text, (uses.get(text) ?? 0) + 1)
      if (known?.has(text.length)) continue
      const byLength = [...(known ?? []), [text.length, uses] as const].sort(([one], [other]) => other - one)
      this.#byStart.set(start, new Map(byLength))
      if (known === undefined) this.#pattern = undefined
    }
  }

  remove(secret: string): void {
    for (const text of representations(secret)) {
      const start = text.slice(0, MIN_SECRET_LENGTH)
      const byLength = this.#byStart.get(start)
      const uses = byLength?.get(text.length)
      const others = (uses?.get(text) ?? 0) - 1
      if (others > 0) uses?.set(text, others)
      else uses?.delete(text)
      if (uses?.size === 0) byLength?.delete(text.length)
      if (byLength?.size === 0 && this.#byStart.delete(start)) this.#pattern = undefined
    }
  }

  /** The text with each occurrence of a secret replaced, in any case of letters and also as JSON and URLs write it. */
  replace(text: string, replacement: string): string {
    if (this.#byStart.size === 0) return text
    const last = text.length - MIN_SECRET_LENGTH
    let clean = ''
    let copied = 0
    let secretStart = 0
    let secretEnd = 0
    for (let from = this.#nextStart(text, 0); from <= last; from = this.#nextStart(text, from + 1)) {
      const end = this.#endOfSecret(text, from)
      if (end === from) continue
      // Secrets that overlap are replaced together, so that no part of one is left.
      if (from >= secretEnd) {
        if (secretEnd > 0) clean += text.slice(copied, secretStart) + replacement
        copied = secretEnd
        secretStart = from
      }
      secretEnd = Math.max(secretEnd, end)
    }
    return secretEnd === 0 ? text : clean + text.slice(copied, secretStart) + replacement + text.slice(secretEnd)
  }

  /** The next position at which a secret may begin, or the length of the text. */
  #nextStart(text: string, from: number): number {
    if (this.#byStart.size > MAX_STARTS_IN_PATTERN) return from
    this.#pattern ??= patternOf(this.#byStart.keys())
    this.#pattern.lastIndex = from
    return this.#pattern.exec(text)?.index ?? text.length
  }

  /** Where the longest secret that begins at `from` ends, or `from` where none does. */
  #endOfSecret(text: string, from: number): number {
    const byLength = this.#byStart.get(fold(text.slice(from, from + MIN_SECRET_LENGTH))) ?? []
    for (const [length, uses] of byLength) {
      if (from + length <= text.length && uses.has(fold(text.slice(from, from + length)))) return from + length
    }
    return from
  }
}

function patternOf(starts: Iterable<string>): RegExp {
  return new RegExp([...starts].map((start) => start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi')
}

function representations(secret: string): Set<string> {
  return new Set([secret, JSON.stringify(secret).slice(1, -1), inUrl(secret)].map(fold))
}

function inUrl(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    // Half of a surrogate pair stands in no URL.
    return secret
  }
}

/** Lower case for ASCII only, so that the length stays the same. */
function fold(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text
}
