/** A weak entity tag of a text: equal for equal texts on every server, and kept by a CDN that compresses. */
export function etagOf(text: string): string {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 2_654_435_761)
    other = Math.imul(other ^ code, 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909)
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return `W/"${hex(one)}${hex(other)}-${text.length.toString(36)}"`
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0')

/** Whether a request has this answer already. Tags are compared weakly, as RFC 9110 asks of `If-None-Match`. */
export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
}
