import { checksumAddress } from '../../address.ts'
import { blockAt } from './chain.ts'
import { below, hash, hashText } from './random.ts'
import type { Tokens } from './tokens.ts'

/** Wallets worth knowing: one that holds every listed token, and one that holds nothing. */
export const fakeWallets = {
  whale: '0xFeEdBeEf00000000000000000000000000000001',
  empty: '0x0000000000000000000000000000000000000000',
} as const

/** Documents are recorded anew every six hours. */
const RECORDED = 6 * 3_600

/**
 * What an address holds, as last recorded. The service finds a document by its EIP-55 spelling alone: any other spelling
 * of the same address answers an empty one.
 */
export function balanceDocument(seed: number, tokens: Tokens, ask: { address: string; limit: number; now: number }) {
  const recorded = Math.floor(ask.now / RECORDED) * RECORDED
  const found = ask.address === checksumAddress(ask.address) ? holdings(seed, tokens, ask.address) : []
  const entries = found.slice(0, ask.limit).map(({ token, noise }) => {
    // A thousandth to a tenth of a per mille of the supply, in the smallest unit.
    const share =
      BigInt(Math.floor(token.totalSupply)) * 10n ** BigInt(token.decimals) * BigInt(1 + below(99_999, noise, 1))
    const balance = `0x${(share / 1_000_000_000n + BigInt(below(1_000_000, noise, 2))).toString(16)}`
    return [token.address(), { balance, blockUpdated: blockAt(recorded - below(10_000_000, noise, 3)) }]
  })
  return {
    address: ask.address,
    updated: found.length === 0 ? 0 : recorded * 1000,
    balances: Object.fromEntries(entries),
  }
}

function holdings(seed: number, tokens: Tokens, address: string) {
  const wallet = hash(seed, 100, hashText(address.toLowerCase()))
  const isWhale = address.toLowerCase() === fakeWallets.whale.toLowerCase()
  const count = address === fakeWallets.empty ? 0 : isWhale ? tokens.all.length : 1 + below(30, wallet)
  const step = isWhale ? 1 : 1 + 2 * below(100, wallet, 1)
  const first = isWhale ? 0 : below(tokens.all.length, wallet, 2)
  const held = new Set(Array.from({ length: count }, (_, i) => (first + i * step) % tokens.all.length))
  return tokens.all
    .filter(({ index }) => held.has(index))
    .map((token) => ({ token, noise: hash(wallet, 3, token.index) }))
}
