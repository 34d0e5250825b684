import type { Clock } from '../../concurrency/clock.ts'
import { operations } from '../../generated/operations.ts'
import type { Token } from '../../generated/types.ts'
import { isObject, isString } from '../../operations/type-guards.ts'
import { checksumAddress, looksLikeAddress } from '../../utils/address.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { CheckedStore } from '../checked-store.ts'
import { isKeyRefused, isRefusal } from '../failures.ts'
import type { Requester } from '../requests/requester.ts'

/** What does not change about a token. */
export type TokenInfo = Pick<Token, 'symbol' | 'name' | 'decimals'>

/** The decimals of tokens, looked up once for all wallets of a feed. */
export interface TokenInfos {
  get(address: string): TokenInfo | undefined
  /**
   * Looks up what is not known. Resolves with the failures of addresses that remain unknown and may be looked up again; rejects
   * if the key is refused.
   * @param createRequester a requester for one address, because one that fails does not hold up others
   */
  lookUp(addresses: readonly string[], createRequester: (address: string) => Requester): Promise<unknown[]>
}

const { base, perItem, maxItems: PAGE_SIZE } = operations['token.list'].credits
const LIST_CREDITS = base + perItem * PAGE_SIZE
const GET_CREDITS = operations['token.get'].credits.base
const MAX_LIST_FAILURES = 3
/** Number of requests in flight. */
const MAX_REQUESTS = 5
/** How long a token counts as unlisted, and how long the list as read, in milliseconds. */
const RECHECK_MS = DAY_MS
/** Decimals never change; a store takes a time to live. */
const TTL_MS = 10 * 365 * DAY_MS

export function createTokenInfos(store: CheckedStore | undefined, clock: Clock): TokenInfos {
  const known = new Map<string, TokenInfo>()
  const unlistedUntil = new Map<string, number>()
  let listedUntil = Number.NEGATIVE_INFINITY
  let listFailures = 0

  function remember(token: unknown): void {
    if (!isToken(token)) return
    const { symbol, name, decimals } = token
    const address = checksumAddress(token.address)
    known.set(address, { symbol, name, decimals })
    store?.write(keyOf(address), { address, symbol, name, decimals }, TTL_MS)
  }

  async function readStore(address: string): Promise<void> {
    const info = await store?.read(keyOf(address), (value) => checkStored(address, value))
    if (info !== undefined) known.set(address, info)
  }

  async function readList(requester: Requester, missing: readonly string[]): Promise<void> {
    listFailures++
    // A list that keeps failing is given up for a day.
    if (listFailures >= MAX_LIST_FAILURES) listedUntil = clock.now() + RECHECK_MS
    const { data } = await requester.attempt<Token[]>(() => ({
      operation: 'token.list',
      addresses: [],
      worstCase: LIST_CREDITS,
      params: { limit: PAGE_SIZE },
      isUsable: Array.isArray,
    }))
    listFailures = 0
    listedUntil = clock.now() + RECHECK_MS
    for (const token of data) remember(token)
    // Less than a page is every listed token.
    if (data.length < PAGE_SIZE) for (const address of missing) unlistedUntil.set(address, listedUntil)
  }

  async function readToken(address: string, requester: Requester): Promise<void> {
    const { data } = await requester.attempt<Token>(() => ({
      operation: 'token.get',
      addresses: [address],
      worstCase: GET_CREDITS,
      params: { address },
      isUsable: isToken,
    }))
    remember({ ...data, address })
  }

  /** Resolves with the failure, if a later attempt may succeed. Rejects if the key is refused. */
  async function failureOf(work: Promise<void>, address?: string): Promise<unknown> {
    try {
      await work
      return undefined
    } catch (error) {
      if (!isRefusal(error)) return error
      if (isKeyRefused(error)) throw error
      if (address !== undefined) unlistedUntil.set(address, clock.now() + RECHECK_MS)
      return undefined
    }
  }

  return {
    get: (address) => known.get(address),
    async lookUp(addresses, createRequester) {
      const now = clock.now()
      const isMissing = (address: string) => !known.has(address) && !((unlistedUntil.get(address) ?? 0) > now)
      await Promise.all(addresses.filter(isMissing).map(readStore))
      const missing = addresses.filter(isMissing)
      const [first] = missing
      const failures: unknown[] = []
      if (first !== undefined && missing.length * GET_CREDITS > LIST_CREDITS && now >= listedUntil)
        failures.push(await failureOf(readList(createRequester(first), missing)))
      // Without the list single requests would cost more.
      if (failures[0] !== undefined) return failures
      const left = missing.filter(isMissing)
      for (let start = 0; start < left.length; start += MAX_REQUESTS) {
        const chunk = left.slice(start, start + MAX_REQUESTS)
        const read = (address: string) => failureOf(readToken(address, createRequester(address)), address)
        failures.push(...(await Promise.all(chunk.map(read))))
      }
      return failures.filter((failure) => failure !== undefined)
    },
  }
}

function keyOf(address: string): string {
  return `etn-market:feed:token:1:${address.toLowerCase()}`
}

/** Checks a stored value: another program may have written it. */
function checkStored(address: string, value: unknown): TokenInfo {
  if (!isToken(value) || checksumAddress(value.address) !== address)
    throw new Error(`The store has invalid decimals of ${address}. They are ignored.`)
  const { symbol, name, decimals } = value
  return { symbol, name, decimals }
}

/** Of an answer that may have any shape. */
function isToken(value: unknown): value is TokenInfo & { address: string } {
  if (!isObject(value) || !looksLikeAddress(value.address) || !isString(value.symbol) || !isString(value.name))
    return false
  return isDecimals(value.decimals)
}

function isDecimals(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
}
