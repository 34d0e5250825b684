/**
 * How long caches on the way had kept an answer, by its `Age` header (RFC 9111, section 5.1), in milliseconds; 0 without one. Of several
 * values, the longest valid one.
 */
export function cachedForMs(age: string | null | undefined): number {
  let longest = 0
  for (const text of age?.split(',') ?? []) {
    const seconds = /^[ \t]*\d+[ \t]*$/.test(text) ? Number(text) : 0
    longest = Math.max(longest, Math.min(seconds * 1_000, Number.MAX_SAFE_INTEGER))
  }
  return longest
}
