import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Client, operations } from 'etn-market'
import type { TokenInfo } from '../portfolio/token-info.ts'
import { tryTo } from '../utils/runtime.ts'
import type { Session } from './session.ts'

/** Listed tokens by lower-case address. */
export type Tokens = ReadonlyMap<string, TokenInfo>

const WEEK_MS = 604_800_000
const { base, perItem, maxItems: MAX_TOKENS } = operations['token.list'].credits

export const TOKEN_LIST_COST = { min: base, max: base + perItem * MAX_TOKENS }

/** The tokens that an earlier run kept; undefined if there are none or they are older than a week. */
export function readKeptTokens(session: Session): Tokens | undefined {
  return tryTo(() => {
    const { savedAt, tokens } = JSON.parse(readFileSync(pathOf(session), 'utf8'))
    const age = Date.now() - savedAt
    return age >= 0 && age < WEEK_MS ? new Map(Object.entries<TokenInfo>(tokens)) : undefined
  })
}

/** Buys the list of tokens, and keeps it for a week where the cache can be written. */
export async function buyTokens(session: Session, client: Client): Promise<Tokens> {
  const list = await client.token.list({ limit: MAX_TOKENS }, { signal: session.signal, validate: 'strict' })
  const tokens = Object.fromEntries(
    list.map(({ address, symbol, name, decimals }) => [address.toLowerCase(), { symbol, name, decimals }]),
  )
  // Without a cache the list is bought again next time.
  tryTo(() => {
    mkdirSync(dirname(pathOf(session)), { recursive: true })
    writeFileSync(pathOf(session), JSON.stringify({ savedAt: Date.now(), tokens }))
  })
  return new Map(Object.entries(tokens))
}

/** Each service has a file of its own. */
function pathOf({ host, baseUrl = '' }: Session): string {
  const folder = host.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(folder, 'etn-market', `tokens-${hash('sha256', baseUrl).slice(0, 12)}.json`)
}
