// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What looks like an API key: `esk_…`, or the common form `xy_live_…`. */
const KEY = /\b(?:esk_|[a-z]{2,8}_(?:live|test)_)[\w-]+/gi

/** The text without control characters, C1 and those that turn the direction of writing included. Line feeds stay. */
export function cleanText(text: string): string {
  return text.replace(/\t/g, ' ').replace(CONTROL, '')
}

/** The text on one line, without control characters. */
export function cleanLine(text: string): string {
  return cleanText(text.replace(/[\r\n]+/g, ' '))
}

/** The text without anything that looks like an API key. */
export function redactKeys(text: string): string {
  return text.replace(KEY, '[redacted]')
}

/** The candidate that differs least from what was typed; undefined if none is close. */
export function suggest(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(0.4 * candidate.length)))
    .sort((one, other) => one.distance - other.distance)
  return best?.candidate
}

/** Insertions, deletions and replacements between two texts. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** JSON with two spaces. C1 control characters, which `JSON.stringify` leaves alone, are escaped. */
export function toJson(value: unknown): string {
  return escapeControls(JSON.stringify(value, undefined, 2) ?? 'null')
}

/** JSON on one line. */
export function toJsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value) ?? 'null')
}

function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
