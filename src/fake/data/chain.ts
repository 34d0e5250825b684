import { checksumAddress } from '../../utils/address.ts'
import { hex } from './random.ts'

const GENESIS = 1_709_000_000
const BLOCK_SECONDS = 5

/** The block that was mined at a moment, in unix seconds. */
export function blockAt(now: number): number {
  return Math.max(0, Math.floor((now - GENESIS) / BLOCK_SECONDS))
}

/** The address of a wallet or contract, in EIP-55 form. */
export function wallet(noise: number, salt = 0): string {
  return checksumAddress(`0x${hex(40, noise, salt)}`)
}
