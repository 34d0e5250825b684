import type { CheckedStore } from '../feed/checked-store.ts'
import { isKeyRefused, isRefusal } from '../feed/failures.ts'
import type { RequestSpec } from '../feed/requests/requester.ts'
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

/** Buys an answer, and checks that it is usable. @param of the address that it is bought for */
export type BuyTokens = <T>(of: string, request: RequestSpec<T>) => Promise<T>

/** The decimals of tokens, each looked up once. */
export class TokenInfos {
  readonly #now: () => number
  readonly #store: Pick<CheckedStore, 'read' | 'write'> | undefined
  readonly #known = new Map<string, TokenInfo>()
  readonly #unlistedUntil = new Map<string, number>()
  #listedUntil = Number.NEGATIVE_INFINITY
  #listFailures = 0

  constructor(now: () => number, store?: Pick<CheckedStore, 'read' | 'write'>) {
    this.#now = now
    this.#store = store
  }

  get(address: string): TokenInfo | undefined {
    return this.#known.get(address)
  }

  /**
   * Looks up the tokens that are not known. Resolves with the failures of addresses that remain unknown and may be looked up again; rejects
   * if the key is refused.
   * @param keys those of a wallet's balances, whatever they are
   */
  async lookUp(keys: Iterable<string>, buy: BuyTokens): Promise<unknown[]> {
    const now = this.#now()
    const addresses = [...keys].filter(looksLikeAddress)
    const isMissing = (address: string) => !this.#known.has(address) && !((this.#unlistedUntil.get(address) ?? 0) > now)
    await Promise.all(addresses.filter(isMissing).map((address) => this.#readStore(address)))
    const missing = addresses.filter(isMissing)
    const [first] = missing
    const failures: unknown[] = []
    if (first !== undefined && missing.length * GET_CREDITS > LIST_CREDITS && now >= this.#listedUntil)
      failures.push(await this.#failureOf(this.#readList(buy, first, missing)))
    // Without the list single requests would cost more.
    if (failures[0] !== undefined) return failures
    const left = missing.filter(isMissing)
    for (let start = 0; start < left.length; start += MAX_REQUESTS) {
      const read = (address: string) => this.#failureOf(this.#readToken(buy, address), address)
      failures.push(...(await Promise.all(left.slice(start, start + MAX_REQUESTS).map(read))))
    }
    return failures.filter((failure) => failure !== undefined)
  }

  /** Takes the tokens of a list that was bought. It is not bought again for a day. */
  useList(list: Iterable<unknown>): void {
    this.#listedUntil = this.#now() + RECHECK_MS
    for (const token of list) this.#remember(token)
  }

  async #readStore(address: string): Promise<void> {
    const info = await this.#store?.read(keyOf(address), (value) =>
      isToken(value) && checksumAddress(value.address) === address ? infoOf(value) : undefined,
    )
    if (info !== undefined) this.#known.set(address, info)
  }

  async #readList(buy: BuyTokens, first: string, missing: readonly string[]): Promise<void> {
    this.#listFailures++
    // A list that keeps failing is given up for a day.
    if (this.#listFailures >= MAX_LIST_FAILURES) this.#listedUntil = this.#now() + RECHECK_MS
    const list = await buy<Token[]>(first, {
      operation: 'token.list',
      addresses: [],
      worstCase: LIST_CREDITS,
      params: { limit: PAGE_SIZE },
      isUsable: Array.isArray,
    })
    this.#listFailures = 0
    this.useList(list)
    // Less than a page is every listed token.
    if (list.length < PAGE_SIZE) for (const address of missing) this.#unlistedUntil.set(address, this.#listedUntil)
  }

  async #readToken(buy: BuyTokens, address: string): Promise<void> {
    const token = await buy<Token>(address, {
      operation: 'token.get',
      addresses: [address],
      worstCase: GET_CREDITS,
      params: { address },
      isUsable: isToken,
    })
    this.#remember({ ...token, address })
  }

  #remember(token: unknown): void {
    if (!isToken(token)) return
    const address = checksumAddress(token.address)
    const info = infoOf(token)
    this.#known.set(address, info)
    this.#store?.write(keyOf(address), { address, ...info }, TTL_MS)
  }

  /** Resolves with the failure, if a later attempt may succeed. Rejects if the key is refused. */
  async #failureOf(work: Promise<void>, address?: string): Promise<unknown> {
    try {
      await work
    } catch (error) {
      if (!isRefusal(error)) return error
      if (isKeyRefused(error)) throw error
      if (address !== undefined) this.#unlistedUntil.set(address, this.#now() + RECHECK_MS)
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
