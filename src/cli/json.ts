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
