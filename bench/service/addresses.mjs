import { createHash } from 'node:crypto'
import { checksumAddress } from 'etn-market'

/** So many that no call in flight asks for what another one asks for: nothing is shared. */
const COUNT = 256

const hash = (text) => createHash('sha256').update(text).digest('hex')

export const addresses = Array.from({ length: COUNT }, (_, i) =>
  checksumAddress(`0x${hash(`token ${i}`).slice(0, 40)}`),
)
