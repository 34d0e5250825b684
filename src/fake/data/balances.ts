import { checksumAddress } from '../../utils/address.ts'
import { checkValue, FakeUsageError } from '../rules/check.ts'
import * as is from '../rules/schema.ts'
import { below, hash, hashText } from './random.ts'
import { blockAt, type WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import type { WorldOptions } from './world-options.ts'

/** Special wallets: one holds every listed token, one holds nothing. */
export const fakeWallets = {
  /** Holds every listed token. */
  whale: '0xFeEdBeEf00000000000000000000000000000001',
  /** Holds nothing. */
  empty: '0x0000000000000000000000000000000000000000',
} as const

/** Documents are updated every six hours. */
const RECORDED = 6 * 3_600

export type OwnBalances = ReadonlyMap<string, readonly { token: WorldToken; amount: bigint }[]>

/** The balances as last recorded. The service finds a document only by the EIP-55 form: any other one answers an empty document. */
export function balanceDocument(sources: Sources, query: { address: string; limit: number; now: number }) {
  const recorded = Math.floor(query.now / RECORDED) * RECORDED
  const found = query.address === checksumAddress(query.address) ? holdings(sources, query.address, recorded) : []
  const entries = found.slice(0, query.limit).map(({ token, amount, noise }) => {
    const balance = `0x${amount.toString(16)}`
    return [token.address(), { balance, blockUpdated: blockAt(recorded - below(10_000_000, noise, 3)) }]
  })
  return {
    address: query.address,
    updated: found.length === 0 ? 0 : recorded * 1000,
    balances: Object.fromEntries(entries),
  }
}

function holdings({ seed, tokens, own, only }: Sources, address: string, recorded: number) {
  const key = address.toLowerCase()
  const wallet = hash(seed, 100, hashText(key))
  const mine = own.balances.get(key)
  if (mine) return mine.map((one) => ({ ...one, noise: hash(wallet, 3, one.token.index) }))
  if (only || address === fakeWallets.empty) return []
  const all = tokens.all(recorded)
  const isWhale = key === fakeWallets.whale.toLowerCase()
  const count = isWhale ? all.length : 1 + below(30, wallet)
  const step = isWhale ? 1 : 1 + 2 * below(100, wallet, 1)
  const first = isWhale ? 0 : below(all.length, wallet, 2)
  const held = new Set(Array.from({ length: count }, (_, i) => (first + i * step) % all.length))
  return all
    .filter((_, i) => held.has(i))
    .map((token) => {
      const noise = hash(wallet, 3, token.index)
      // Up to a ten-thousandth of the supply.
      const part = (supplyOf(token) * BigInt(1 + below(99_999, noise, 1))) / 1_000_000_000n
      return { token, noise, amount: part + BigInt(below(1_000_000, noise, 2)) }
    })
}

function supplyOf({ totalSupply, decimals }: WorldToken): bigint {
  return BigInt(Math.floor(totalSupply)) * 10n ** BigInt(decimals)
}

export function readOwnBalances(
  entries: WorldOptions['balances'] = {},
  find: (address: string) => WorldToken | undefined,
): OwnBalances {
  const wallets = Object.entries(entries).map(([wallet, balances]) => {
    checkValue(`world.balances[${wallet}]`, is.eip55, wallet)
    const read = Object.entries(balances).map(([address, text]) => {
      const path = `world.balances[${wallet}][${address}]`
      checkValue(path, is.eip55, address)
      const token = find(address)
      if (!token) throw new FakeUsageError(`${path} is a balance of a token of the world.`)
      const supply = supplyOf(token)
      if (BigInt(text) > supply)
        throw new FakeUsageError(`${path} is at most the supply of the token, ${supply} in the smallest unit.`)
      return { token, amount: BigInt(text) }
    })
    return [wallet.toLowerCase(), read] as const
  })
  return new Map(wallets)
}
