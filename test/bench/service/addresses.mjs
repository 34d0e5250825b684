import { createHash } from 'node:crypto'
import { checksumAddress } from 'etn-market'

/** More than calls in flight, so that no two calls are equal and none is deduplicated. */
const COUNT = 256

const hash = (text) => createHash('sha256').update(text).digest('hex')

export const addresses = Array.from({ length: COUNT }, (_, i) =>
  checksumAddress(`0x${hash(`token ${i}`).slice(0, 40)}`),
)
