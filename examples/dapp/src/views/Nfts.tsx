import { useQuery } from '@tanstack/react-query'
import type { NftCollectionTotals, NftStats } from 'etn-market'
import { useState } from 'react'
import { useMarket } from '../market.ts'
import { formatDistance } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { NftCard } from './NftCard.tsx'

const FIRST_CARDS = 12

/** Floor prices of NFT collections. */
export function Nfts() {
  const { queries } = useMarket()
  const query = queries.nft.stats()
  const stats = useQuery(query)
  return (
    <>
      <ViewHeader title="NFT floors">
        Floors of all collections come in one answer. The volume of a collection is bought when you ask for it.
      </ViewHeader>
      <Loaded query={stats} loading={{ of: 'cards', count: FIRST_CARDS }} buys={[query]}>
        {(data) => <Collections stats={data} />}
      </Loaded>
    </>
  )
}

function Collections({ stats: { collections, updatedAt } }: { stats: NftStats }) {
  const [isAll, setAll] = useState(false)
  if (collections.length === 0) return <Empty title="No collections are listed" />
  const byFloor = [...collections].sort((one, other) => floorOf(other) - floorOf(one))
  const shown = isAll ? byFloor : byFloor.slice(0, FIRST_CARDS)
  return (
    <>
      <p className="hint">Updated {formatDistance(new Date(updatedAt))}, highest floor first</p>
      <ul className="cards nfts">
        {shown.map((collection) => (
          <NftCard key={collection.address} collection={collection} />
        ))}
      </ul>
      {!isAll && byFloor.length > FIRST_CARDS && (
        <p className="below">
          <button type="button" className="button" onClick={() => setAll(true)}>
            <span className="button-label">Show all {byFloor.length}</span> <span className="cost cost-free">free</span>
          </button>
        </p>
      )}
    </>
  )
}

/** A collection without a listing has no floor, and comes last. */
const floorOf = ({ floorPrice }: NftCollectionTotals) => floorPrice ?? -1
