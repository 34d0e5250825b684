import { checksumAddress } from '../../utils/address.ts'
import { once } from '../../utils/once.ts'
import { FakeUsageError } from '../rules/check.ts'
import { collectionName } from './names.ts'
import { below, hash, hashText, hex, pick, unit, wallet } from './random.ts'
import {
  rejectDuplicates,
  type WorldNftAssetOptions,
  type WorldNftCollectionOptions,
  type WorldNftStatsOptions,
} from './world-options.ts'

/** A collection; `own` is the data of the `world` option. */
type OwnCollection = ReturnType<typeof readOwnCollections>[number]
type Collection = Omit<OwnCollection, 'own'> & Partial<OwnCollection>

type Collections = ReadonlyMap<string, Collection>

const COLLECTIONS = 72

export function createCollections(seed: number, own: readonly OwnCollection[], only: boolean): Collections {
  const builtIn = Array.from({ length: only ? 0 : COLLECTIONS }, (_, index): Collection => {
    const noise = hash(seed, 50, index)
    const key = `0x${hex(40, noise)}`
    const totalSupply = pick([66, 111, 333, 555, 1_000, 2_222, 5_000, 10_000], noise, 60)
    return { index, noise, key, totalSupply, ...collectionName(index, seed), address: once(() => checksumAddress(key)) }
  })
  const all = [...own, ...builtIn.filter(({ key }) => !own.some((one) => one.key === key))]
  return new Map(all.map((one) => [one.key, one]))
}

/** The fields of `nft.collections`: identity only. */
export function collectionBody({ address, name, symbol, totalSupply }: Collection) {
  return { address: address(), name, symbol, totalSupply }
}

export function collectionStats(collection: Collection, now: number): ReturnType<typeof readStats> {
  if (collection.own) return collection.own.stats
  const hour = Math.floor(now / 3600)
  const { noise, totalSupply } = collection
  const listingCount = below(Math.ceil(totalSupply / 6), noise, 61, Math.floor(hour / 6))
  const floor = 20 * (1 + 400 * unit(noise, 62) * unit(noise, 63)) * (0.85 + 0.3 * unit(noise, 64, hour))
  return {
    // Without a listing there is no floor price.
    floorPrice: listingCount === 0 ? null : Math.round(floor),
    uniqueOwners: Math.max(1, Math.floor(totalSupply * (0.2 + 0.5 * unit(noise, 65)))),
    listingCount,
    volume: Math.round(floor * totalSupply * unit(noise, 66)),
  }
}

/** Totals of the marketplace, updated every hour. */
export function marketplace(collections: Collections, now: number) {
  return {
    updatedAt: new Date(Math.floor(now / 3600) * 3_600_000).toISOString(),
    collections: [...collections.values()].map((collection) => {
      const { floorPrice, uniqueOwners, listingCount } = collectionStats(collection, now)
      const { name, symbol, key } = collection
      const image = collection.own || collection.index % 9 === 8 ? null : `https://nft.example/${key}/cover.png`
      return { address: collection.address(), name, symbol, image, floorPrice, uniqueOwners, listingCount }
    }),
  }
}

const TRAITS = {
  Background: ['Night', 'Dawn', 'Noon', 'Rain', 'Aurora'],
  Eyes: ['Calm', 'Laser', 'Sleepy', 'Wide'],
  Hat: ['None', 'Crown', 'Cap', 'Halo', 'Hood', 'Antenna'],
  Charge: ['Low', 'Half', 'Full'],
} as const

export function assets(collection: Collection, limit: number) {
  const { noise, totalSupply, name, key } = collection
  if (collection.own?.assets) return collection.own.assets.slice(0, limit)
  return Array.from({ length: Math.min(limit, totalSupply) }, (_, i) => {
    const own = hash(noise, 70, i)
    const sold = unit(own, 1) < 0.7
    return {
      tokenId: String(i + 1),
      name: `${name} #${i + 1}`,
      description: i % 5 === 4 ? null : `One of ${totalSupply} ${name}.`,
      image: `https://nft.example/${key}/${i + 1}.png`,
      ownerAddress: wallet(hash(noise, 71, below(Math.ceil(totalSupply / 3), own, 2))),
      lastPrice: sold ? Math.round(20 + 9_000 * unit(own, 3) * unit(own, 4)) : null,
      traits: Object.entries(TRAITS).map(([trait, values], t) => traitOf(noise, own, trait, values, t)),
    }
  })
}

function traitOf(collection: number, asset: number, name: string, values: readonly string[], trait: number) {
  // Earlier values of a trait are more common. The shares of all values add up to 1.
  const weights = values.map((_, i) => 1 + unit(collection, 72, trait, i) + (values.length - i))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let left = unit(asset, 5, trait) * total
  let chosen = 0
  while (chosen < values.length - 1 && left >= (weights[chosen] ?? 0)) left -= weights[chosen++] ?? 0
  return {
    name,
    value: values[chosen] ?? 'None',
    rarity: Math.round(((weights[chosen] ?? 0) / total) * 10_000) / 10_000,
  }
}

export function readOwnCollections(entries: readonly WorldNftCollectionOptions[] = []) {
  rejectDuplicates('world.nftCollections', 'address', entries)
  return entries.map((given, i) => {
    const path = `world.nftCollections[${i}]`
    const { name, symbol, totalSupply, assets } = given
    const address = checksumAddress(given.address)
    const key = address.toLowerCase()
    const listed = assets && readAssets(`${path}.assets`, assets, given)
    const owners = listed && new Set(listed.map(({ ownerAddress }) => ownerAddress)).size
    const stats = readStats(`${path}.stats`, given.stats, totalSupply, owners ?? Math.ceil(totalSupply / 3))
    const own = { stats, assets: listed }
    return { index: 1_000 + i, noise: hashText(key), key, name, symbol, totalSupply, address: () => address, own }
  })
}

function readStats(path: string, given: WorldNftStatsOptions = {}, totalSupply: number, owners: number) {
  const { floorPrice = null, uniqueOwners = owners, volume = 0 } = given
  const { listingCount = floorPrice === null ? 0 : 1 } = given
  if (listingCount === 0 && floorPrice !== null)
    throw new FakeUsageError(`${path}.floorPrice is null without a listing: listingCount is 0.`)
  if (uniqueOwners > totalSupply)
    throw new FakeUsageError(`${path}.uniqueOwners is at most totalSupply: ${uniqueOwners} are above ${totalSupply}.`)
  return { floorPrice, uniqueOwners, listingCount, volume }
}

function readAssets(path: string, entries: readonly WorldNftAssetOptions[], collection: WorldNftCollectionOptions) {
  const { name: ofCollection, totalSupply } = collection
  if (entries.length > totalSupply)
    throw new FakeUsageError(`${path} lists at most totalSupply assets: ${entries.length} are above ${totalSupply}.`)
  rejectDuplicates(path, 'tokenId', entries)
  return entries.map(({ tokenId, name, description, image, ownerAddress, lastPrice, traits = [] }) => ({
    tokenId,
    name: name ?? `${ofCollection} #${tokenId}`,
    description: description ?? null,
    image: image ?? null,
    ownerAddress: ownerAddress ? checksumAddress(ownerAddress) : wallet(hashText(`${ofCollection} ${tokenId}`)),
    lastPrice: lastPrice ?? null,
    traits: traits.map(({ name, value, rarity }) => ({ name, value, rarity })),
  }))
}
