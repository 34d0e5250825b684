/** What looks like an API key: `esk_…`, or the common form `xy_live_…`. */
const KEY = /\b(?:esk_|[a-z]{2,8}_(?:live|test)_)[\w-]+/gi

/** The text without anything that looks like an API key. */
export function redactKeys(text: string): string {
  return text.replace(KEY, '[redacted]')
}

/** JSON on one line, or with spaces. Control characters that `JSON.stringify` leaves alone are escaped. */
export function toJson(value: unknown, spaces = 0): string {
  const json = JSON.stringify(value, undefined, spaces) ?? 'null'
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
