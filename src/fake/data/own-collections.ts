import { FakeUsageError } from '../rules/check-options.ts'
import { wallet } from './chain.ts'
import type { Collection } from './nft.ts'
import { hashText } from './random.ts'
import { readEntry, readList, rejectDuplicates } from './read-fields.ts'

const NAMES = ['address', 'name', 'symbol', 'totalSupply', 'stats', 'assets']
const STATS = ['floorPrice', 'uniqueOwners', 'listingCount', 'volume']
const ASSET = ['tokenId', 'name', 'description', 'image', 'ownerAddress', 'lastPrice', 'traits']

/** Reads the collections of the `world` option. */
export function readOwnCollections(entries: unknown): Collection[] {
  const found = readList('world.nftCollections', entries).map((entry, i): Collection => {
    const path = `world.nftCollections[${i}]`
    const field = readEntry(path, entry, NAMES)
    const address = field.address('address')
    const assets = field.any('assets')
    const name = field.text('name')
    const totalSupply = field.count('totalSupply')
    const listed = assets === undefined ? undefined : readAssets(`${path}.assets`, assets, { name, totalSupply })
    return {
      index: 1_000 + i,
      noise: hashText(address.toLowerCase()),
      key: address.toLowerCase(),
      name,
      symbol: field.text('symbol'),
      totalSupply,
      address: () => address,
      own: {
        stats: readStats(`${path}.stats`, field.any('stats') ?? {}, {
          totalSupply,
          owners: listed ? ownersOf(listed) : Math.ceil(totalSupply / 3),
        }),
        assets: listed,
      },
    }
  })
  const addresses = found.map(({ address }) => address())
  rejectDuplicates('world.nftCollections', 'address', addresses)
  return found
}

function ownersOf(assets: readonly { ownerAddress: string }[]): number {
  return new Set(assets.map(({ ownerAddress }) => ownerAddress)).size
}

function readStats(path: string, value: unknown, { totalSupply, owners }: { totalSupply: number; owners: number }) {
  const field = readEntry(path, value, STATS)
  const floorPrice = field.any('floorPrice') ?? null
  const listingCount = field.count('listingCount', floorPrice === null ? 0 : 1)
  if (listingCount === 0 && floorPrice !== null)
    throw new FakeUsageError(`${path}.floorPrice is null without a listing: listingCount is 0.`)
  const uniqueOwners = field.count('uniqueOwners', owners)
  if (uniqueOwners > totalSupply)
    throw new FakeUsageError(`${path}.uniqueOwners is at most totalSupply: ${uniqueOwners} are above ${totalSupply}.`)
  return {
    floorPrice: floorPrice === null ? null : field.number('floorPrice', 0),
    uniqueOwners,
    listingCount,
    volume: field.number('volume', 0, undefined, 0),
  }
}

function readAssets(path: string, value: unknown, collection: { name: string; totalSupply: number }) {
  const entries = readList(path, value)
  if (entries.length > collection.totalSupply)
    throw new FakeUsageError(
      `${path} lists at most totalSupply assets: ${entries.length} are above ${collection.totalSupply}.`,
    )
  const found = entries.map((entry, i) => {
    const field = readEntry(`${path}[${i}]`, entry, ASSET)
    const tokenId = field.text('tokenId')
    const textOrNull = (name: string) =>
      field.any(name) === undefined || field.any(name) === null ? null : field.text(name)
    return {
      tokenId,
      name: field.text('name', `${collection.name} #${tokenId}`),
      description: textOrNull('description'),
      image: textOrNull('image'),
      ownerAddress: field.optionalAddress('ownerAddress') ?? wallet(hashText(`${collection.name} ${tokenId}`)),
      lastPrice:
        field.any('lastPrice') === undefined || field.any('lastPrice') === null ? null : field.number('lastPrice', 0),
      traits: readList(`${path}[${i}].traits`, field.any('traits')).map((trait, t) => {
        const one = readEntry(`${path}[${i}].traits[${t}]`, trait, ['name', 'value', 'rarity'])
        return { name: one.text('name'), value: one.text('value'), rarity: one.number('rarity', 0, 1) }
      }),
    }
  })
  const ids = found.map(({ tokenId }) => tokenId)
  rejectDuplicates(path, 'tokenId', ids)
  return found
}
