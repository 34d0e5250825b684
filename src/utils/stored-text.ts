/**
 * The text that a store returned; undefined if it returned nothing. A store may return the bytes of a text, or parse a text of JSON: then this is the
 * text that was written.
 */
export function storedText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  return ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : String(JSON.stringify(value))
}
