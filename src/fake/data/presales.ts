import { checksumAddress } from '../../utils/address.ts'
import { FakeUsageError } from '../rules/check-options.ts'
import { wallet } from './chain.ts'
import { ONE } from './decimal.ts'
import { ownToken, readDecimals } from './own-tokens.ts'
import {
  ANNOUNCED,
  type Campaign,
  contributorsAt,
  createCampaign,
  EVERY,
  findAnnounced,
  raisedAt,
} from './presale-campaigns.ts'
import { below, hashText } from './random.ts'
import { type FieldReader, readEntry, readList, rejectDuplicates } from './read-fields.ts'
import type { SourcesWith } from './sources.ts'
import { BASE_ETN_USD, launchedToken, type WorldToken } from './tokens.ts'

/** Number of campaigns in the list. */
const LISTED = 80
/** The largest page of `presale.list`. */
const PAGE = 50

/** A presale of the `world` option. */
export interface OwnPresale {
  campaign: Campaign
  token: WorldToken
  fields: { description: string; website: string | null; minEtnToList: number; maxBuy: number }
}

type PresaleSources = SourcesWith<readonly OwnPresale[]>

/** The launchpad campaigns at a moment, newest first. With time they open, launch or fail, and new ones follow. */
export function presales(sources: PresaleSources, now: number) {
  const { seed, own, only } = sources
  const newest = Math.floor((now + ANNOUNCED) / EVERY)
  const builtIn = only ? [] : Array.from({ length: LISTED }, (_, i) => createCampaign(seed, newest - i))
  const mine = own.map(({ campaign }) => campaign)
  const byStart = (a: Campaign, b: Campaign) => b.starts - a.starts || b.number - a.number
  const firstPage = [...mine, ...builtIn].slice(0, Math.max(PAGE, mine.length)).sort(byStart)
  const others = [...mine, ...builtIn].slice(Math.max(PAGE, mine.length))
  return [...firstPage, ...others].map((campaign) => presaleBody(sources, campaign, now))
}

/** The campaign with a pool address; one that is no longer listed, too. */
export function findPresale(sources: PresaleSources, now: number, pool: string) {
  const key = pool.toLowerCase()
  const mine = sources.own.find(({ campaign }) => campaign.poolKey === key)
  if (mine) return presaleBody(sources, mine.campaign, now)
  const number = sources.only ? undefined : findAnnounced(sources.seed, key, now)
  return number === undefined ? undefined : presaleBody(sources, createCampaign(sources.seed, number), now)
}

function presaleBody({ pools, own, tokens }: PresaleSources, campaign: Campaign, now: number) {
  const { number, noise, goal, starts, ends, creator, name } = campaign
  const mine = own.find((one) => one.campaign === campaign)
  const token = mine?.token ?? launchedToken(campaign)
  const status = statusAt(campaign, now)
  const listed = status === 'LAUNCHED' ? tokens.find(token.key, now) : undefined
  return {
    id: number,
    pool: checksumAddress(campaign.poolKey),
    status,
    token: {
      name: token.name,
      symbol: token.symbol,
      decimals: token.decimals,
      totalSupply: token.totalSupply,
      address: token.address(),
      liquidityPool: listed ? pools.ofToken(listed, 2).address() : null,
    },
    campaign: {
      creator: creator(),
      description: mine?.fields.description ?? `${name} raises ${goal} ETN.`,
      website: mine
        ? mine.fields.website
        : below(4, noise, 8) === 0
          ? null
          : `https://${token.symbol.toLowerCase()}.example`,
      starts,
      ends,
      etnRaised: raisedAt(campaign, now),
      minEtnToLaunch: goal,
      minEtnToList: mine?.fields.minEtnToList ?? goal / 10,
      contributorCount: contributorsAt(campaign, now),
      maxBuy: mine?.fields.maxBuy ?? goal / 20,
    },
  }
}

function statusAt({ starts, ends, cancelledAt, launches }: Campaign, now: number): string {
  if (now < starts) return 'PENDING'
  if (cancelledAt !== undefined && now > cancelledAt) return 'CANCELLED'
  if (now < ends) return 'ACTIVE'
  return launches ? 'LAUNCHED' : 'FAILED'
}

// biome-ignore format: a list of names
const NAMES = ['pool', 'token', 'startsInMs', 'endsInMs', 'etnRaised', 'minEtnToLaunch', 'minEtnToList', 'maxBuy', 'creator', 'description', 'website', 'usd']

/** Reads the presales of the `world` option; `now` in unix seconds is when the fake is created. */
export function readOwnPresales(entries: unknown, now: number): OwnPresale[] {
  const found = readList('world.presales', entries).map((entry, i): OwnPresale => {
    const path = `world.presales[${i}]`
    const field = readEntry(path, entry, NAMES)
    const goal = field.number('minEtnToLaunch', 1, undefined, 100_000)
    const total = field.number('etnRaised', 0, undefined, goal * 1.2)
    const starts = now + Math.floor(field.number('startsInMs', Number.MIN_SAFE_INTEGER) / 1000)
    const ends = now + Math.floor(field.number('endsInMs', Number.MIN_SAFE_INTEGER) / 1000)
    if (ends <= starts) throw new FakeUsageError(`${path}.endsInMs is later than startsInMs.`)
    const sale = readEntry(`${path}.token`, field.any('token'), [
      'address',
      'symbol',
      'name',
      'decimals',
      'totalSupply',
    ])
    const token = readSaleToken(sale, field.amount('usd'), {
      total,
      launchedAt: total >= goal ? ends : Number.POSITIVE_INFINITY,
      index: 3_000_000 + i,
    })
    const poolKey = field.address('pool').toLowerCase()
    const noise = hashText(poolKey)
    const website = field.any('website') === undefined || field.any('website') === null ? null : field.text('website')
    return {
      token,
      fields: {
        description: field.text('description', `${token.name} raises ${goal} ETN.`),
        website,
        minEtnToList: field.number('minEtnToList', 0, undefined, goal / 10),
        maxBuy: field.number('maxBuy', 0, undefined, goal / 20),
      },
      campaign: {
        number: 9_000_000 + i,
        noise,
        name: token.name,
        symbol: token.symbol,
        totalSupply: token.totalSupply,
        creator: ownerOf(field, noise),
        poolKey,
        tokenKey: token.key,
        starts,
        ends,
        goal,
        launches: total >= goal,
        cancelledAt: undefined,
        total,
      },
    }
  })
  const pools = found.map(({ campaign }) => checksumAddress(campaign.poolKey))
  rejectDuplicates('world.presales', 'pool', pools)
  return found
}

function ownerOf(field: FieldReader, noise: number): () => string {
  const given = field.optionalAddress('creator')
  return () => given ?? wallet(noise)
}

function readSaleToken(
  sale: FieldReader,
  usd: bigint | undefined,
  { total, launchedAt, index }: { total: number; launchedAt: number; index: number },
): WorldToken {
  const symbol = sale.text('symbol')
  const totalSupply = sale.number('totalSupply', 1, undefined, 1_000_000)
  // Half of the supply is sold for what is raised.
  const saleUsd = BigInt(Math.floor((total * BASE_ETN_USD * 1e12) / (totalSupply / 2))) * (ONE / 1_000_000_000_000n)
  const fixedUsd = usd ?? (saleUsd > 0n ? saleUsd : ONE / 1_000_000n)
  return ownToken({
    address: sale.address('address'),
    symbol,
    name: sale.text('name', symbol),
    decimals: readDecimals(sale, 18),
    totalSupply,
    fixedUsd,
    launchedAt,
    index,
  })
}
