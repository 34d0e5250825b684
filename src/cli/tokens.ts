import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Client, type EtnMarketError, isEtnMarketError, NotFoundError, operations } from 'etn-market'
import type { HostProcess } from './host.ts'
import type { CommonOptions, Session } from './session.ts'

/** What the list of tokens says of one. */
export interface TokenInfo {
  readonly symbol: string
  readonly decimals: number
}

/** Listed tokens by lower-case address. */
export type Tokens = ReadonlyMap<string, TokenInfo>

const WEEK_MS = 604_800_000
const MAX_TOKENS = operations['token.list'].credits.maxItems

/** What a list of all tokens may cost, in credits. */
export const TOKEN_LIST_COST = {
  min: operations['token.list'].credits.base,
  max: operations['token.list'].credits.base + operations['token.list'].credits.perItem * MAX_TOKENS,
}

/** The tokens that an earlier run kept; undefined if there are none or they are older than a week. */
export function readKeptTokens(host: HostProcess, options: CommonOptions): Tokens | undefined {
  try {
    const { savedAt, tokens } = JSON.parse(readFileSync(pathOf(host, options), 'utf8')) as Kept
    const age = Date.now() - savedAt
    return age >= 0 && age < WEEK_MS ? new Map(Object.entries(tokens)) : undefined
  } catch {
    return undefined
  }
}

/** Buys the list of tokens, and keeps it for a week where the cache can be written. */
export async function buyTokens({ host, signal }: Session, client: Client, options: CommonOptions): Promise<Tokens> {
  const list = await client.token.list({ limit: MAX_TOKENS }, { signal, validate: 'strict' })
  const tokens = list.map(({ address, symbol, decimals }) => {
    return [String(address).toLowerCase(), { symbol: String(symbol), decimals }] as const
  })
  keep(host, options, { savedAt: Date.now(), tokens: Object.fromEntries(tokens) })
  return new Map(tokens)
}

/** What a look-up of one token costs, in credits. */
export const TOKEN_COST = operations['token.get'].credits.base
/** Number of requests in flight. */
const MAX_REQUESTS = 5

/** Adds tokens that are not listed. What fails is returned; a token that the service does not know is free. */
export async function lookUpTokens(
  client: Client,
  listed: Tokens,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<{ tokens: Tokens; errors: readonly EtnMarketError[] }> {
  const tokens = new Map(listed)
  const errors: EtnMarketError[] = []
  const lookUp = async (address: string) => {
    try {
      const { symbol, decimals } = await client.token.get({ address }, { signal, validate: 'strict' })
      tokens.set(address.toLowerCase(), { symbol: String(symbol), decimals })
    } catch (error) {
      if (signal.aborted || !isEtnMarketError(error)) throw error
      if (!(error instanceof NotFoundError)) errors.push(error)
    }
  }
  for (let start = 0; start < addresses.length && errors.length === 0; start += MAX_REQUESTS)
    await Promise.all(addresses.slice(start, start + MAX_REQUESTS).map(lookUp))
  return { tokens, errors }
}

function keep(host: HostProcess, options: CommonOptions, kept: Kept): void {
  try {
    mkdirSync(dirname(pathOf(host, options)), { recursive: true })
    writeFileSync(pathOf(host, options), JSON.stringify(kept))
  } catch {
    // Without a cache the list is bought again next time.
  }
}

interface Kept {
  readonly savedAt: number
  readonly tokens: Readonly<Record<string, TokenInfo>>
}

/** Each service has a file of its own. */
function pathOf({ env }: HostProcess, { baseUrl = env.ETN_MARKET_BASE_URL ?? '' }: CommonOptions): string {
  const folder = env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(folder, 'etn-market', `tokens-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 12)}.json`)
}
