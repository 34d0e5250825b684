import { createHash } from 'node:crypto'

/** Different lower-cased addresses, the same ones in every process. */
export function newAddresses(count) {
  return Array.from({ length: count }, (_, i) => `0x${createHash('sha1').update(`address ${i}`).digest('hex')}`)
}
