import { checkedStoreOf } from '../feed/checked-store.ts'
import { isKeyRefused, isRefusal } from '../feed/failures.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import type { Requester } from '../feed/requests/requester.ts'
import { operations } from '../generated/operations.ts'
import type { Token } from '../generated/types.ts'
import { isInteger, isObject, isString } from '../operations/type-guards.ts'
import { checksumAddress, looksLikeAddress } from '../utils/address.ts'
import { DAY_MS } from '../utils/time-units.ts'

export type TokenInfo = Pick<Token, 'symbol' | 'name' | 'decimals'>

const { base, perItem, maxItems: PAGE_SIZE } = operations['token.list'].credits
const LIST_CREDITS = base + perItem * PAGE_SIZE
const GET_CREDITS = operations['token.get'].credits.base
const MAX_LIST_FAILURES = 3
const MAX_REQUESTS = 5
/** How long a token counts as unlisted, and how long the list as read, in milliseconds. */
const RECHECK_MS = DAY_MS
/** Decimals never change; a store takes a time to live. */
const TTL_MS = 10 * 365 * DAY_MS

/** The decimals of tokens, looked up once for all wallets of a feed. */
export class TokenInfos {
  readonly #feed: FeedInternals
  readonly #known = new Map<string, TokenInfo>()
  readonly #unlistedUntil = new Map<string, number>()
  #listedUntil = Number.NEGATIVE_INFINITY
  #listFailures = 0

  constructor(feed: FeedInternals) {
    this.#feed = feed
  }

  get(address: string): TokenInfo | undefined {
    return this.#known.get(address)
  }

  /**
   * Looks up the tokens that are not known. Resolves with the failures of addresses that remain unknown and may be looked up again; rejects
   * if the key is refused.
   * @param keys those of a wallet's balances, whatever they are
   * @param createRequester a requester for one address, because one that fails does not hold up others
   */
  async lookUp(keys: Iterable<string>, createRequester: (address: string) => Requester): Promise<unknown[]> {
    const now = this.#feed.clock.now()
    const addresses = [...keys].filter(looksLikeAddress)
    const isMissing = (address: string) => !this.#known.has(address) && !((this.#unlistedUntil.get(address) ?? 0) > now)
    await Promise.all(addresses.filter(isMissing).map((address) => this.#readStore(address)))
    const missing = addresses.filter(isMissing)
    const [first] = missing
    const failures: unknown[] = []
    if (first !== undefined && missing.length * GET_CREDITS > LIST_CREDITS && now >= this.#listedUntil)
      failures.push(await this.#failureOf(this.#readList(createRequester(first), missing)))
    // Without the list single requests would cost more.
    if (failures[0] !== undefined) return failures
    const left = missing.filter(isMissing)
    for (let start = 0; start < left.length; start += MAX_REQUESTS) {
      const read = (address: string) => this.#failureOf(this.#readToken(address, createRequester(address)), address)
      failures.push(...(await Promise.all(left.slice(start, start + MAX_REQUESTS).map(read))))
    }
    return failures.filter((failure) => failure !== undefined)
  }

  async #readStore(address: string): Promise<void> {
    const info = await checkedStoreOf(this.#feed)?.read(keyOf(address), (value) =>
      isToken(value) && checksumAddress(value.address) === address ? infoOf(value) : undefined,
    )
    if (info !== undefined) this.#known.set(address, info)
  }

  async #readList(requester: Requester, missing: readonly string[]): Promise<void> {
    this.#listFailures++
    // A list that keeps failing is given up for a day.
    if (this.#listFailures >= MAX_LIST_FAILURES) this.#listedUntil = this.#feed.clock.now() + RECHECK_MS
    const { data } = await requester.attempt<Token[]>(() => ({
      operation: 'token.list',
      addresses: [],
      worstCase: LIST_CREDITS,
      params: { limit: PAGE_SIZE },
      isUsable: Array.isArray,
    }))
    this.#listFailures = 0
    this.#listedUntil = this.#feed.clock.now() + RECHECK_MS
    for (const token of data) this.#remember(token)
    // Less than a page is every listed token.
    if (data.length < PAGE_SIZE) for (const address of missing) this.#unlistedUntil.set(address, this.#listedUntil)
  }

  async #readToken(address: string, requester: Requester): Promise<void> {
    const { data } = await requester.attempt<Token>(() => ({
      operation: 'token.get',
      addresses: [address],
      worstCase: GET_CREDITS,
      params: { address },
      isUsable: isToken,
    }))
    this.#remember({ ...data, address })
  }

  #remember(token: unknown): void {
    if (!isToken(token)) return
    const address = checksumAddress(token.address)
    const info = infoOf(token)
    this.#known.set(address, info)
    checkedStoreOf(this.#feed)?.write(keyOf(address), { address, ...info }, TTL_MS)
  }

  /** Resolves with the failure, if a later attempt may succeed. Rejects if the key is refused. */
  async #failureOf(work: Promise<void>, address?: string): Promise<unknown> {
    try {
      await work
    } catch (error) {
      if (!isRefusal(error)) return error
      if (isKeyRefused(error)) throw error
      if (address !== undefined) this.#unlistedUntil.set(address, this.#feed.clock.now() + RECHECK_MS)
    }
    return undefined
  }
}

function keyOf(address: string): string {
  return `etn-market:feed:token:1:${address.toLowerCase()}`
}

function infoOf({ symbol, name, decimals }: TokenInfo): TokenInfo {
  return { symbol, name, decimals }
}

/** Of an answer that may have any shape. */
function isToken(value: unknown): value is TokenInfo & { address: string } {
  if (!isObject(value) || !looksLikeAddress(value.address) || !isString(value.symbol) || !isString(value.name))
    return false
  return isInteger(value.decimals) && value.decimals >= 0 && value.decimals <= 255
}
