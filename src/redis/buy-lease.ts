import type { SharedLease } from '../fleet/internals.ts'
import type { Member } from './member.ts'
import { BUY } from './scripts/clock.lua.ts'

/** One member at a time buys an address. All addresses of a batch are one command. */
export function createSharedLease({ command, keys, nextId }: Member): SharedLease {
  const owner = nextId()
  const toNames = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase())
  return {
    async acquire(addresses, leaseMs) {
      const answer = await command(BUY, keys.buy, [owner, leaseMs, ...toNames(addresses)])
      return new Set(addresses.filter((_, index) => answer[index] === '1'))
    },
    async release(addresses) {
      await command(BUY, keys.buy, [owner, 0, ...toNames(addresses)])
    },
  }
}
