/** Secrets are found by their first characters, so none may be shorter. */
export const MIN_SECRET_LENGTH = 4

/** Beyond this, a pattern of all starts is slower than a look at each position. */
const MAX_STARTS_IN_PATTERN = 32

/** The representations that begin with the same four characters, by length, longest first. */
type Candidates = { length: number; texts: Set<string> }[]

/** Finds secrets in texts. The time for a text does not grow with the number of secrets. */
export class SecretMatcher {
  /** How many secrets have a representation. */
  readonly #uses = new Map<string, number>()
  readonly #byStart = new Map<string, Candidates>()
  /** Finds the next start; undefined when it has to be made anew. Keys of one service usually begin alike. */
  #pattern: RegExp | undefined

  add(secret: string): void {
    for (const text of representations(secret)) {
      const count = this.#uses.get(text) ?? 0
      this.#uses.set(text, count + 1)
      if (count === 0) this.#insert(text)
    }
  }

  remove(secret: string): void {
    for (const text of representations(secret)) {
      const count = this.#uses.get(text) ?? 0
      if (count > 1) this.#uses.set(text, count - 1)
      else if (this.#uses.delete(text)) this.#erase(text)
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

  #insert(text: string): void {
    const start = text.slice(0, MIN_SECRET_LENGTH)
    let candidates = this.#byStart.get(start)
    if (candidates === undefined) {
      candidates = []
      this.#byStart.set(start, candidates)
      this.#pattern = undefined
    }
    let group = candidates.find(({ length }) => length === text.length)
    if (group === undefined) {
      group = { length: text.length, texts: new Set() }
      candidates.push(group)
      candidates.sort((one, other) => other.length - one.length)
    }
    group.texts.add(text)
  }

  #erase(text: string): void {
    const start = text.slice(0, MIN_SECRET_LENGTH)
    const candidates = this.#byStart.get(start) ?? []
    for (const { length, texts } of candidates) if (length === text.length) texts.delete(text)
    if (candidates.some(({ texts }) => texts.size > 0)) return
    this.#byStart.delete(start)
    this.#pattern = undefined
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
    const candidates = this.#byStart.get(fold(text.slice(from, from + MIN_SECRET_LENGTH))) ?? []
    for (const { length, texts } of candidates) {
      if (from + length <= text.length && texts.has(fold(text.slice(from, from + length)))) return from + length
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
