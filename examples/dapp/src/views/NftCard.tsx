import { useQuery } from '@tanstack/react-query'
import type { NftCollectionTotals } from 'etn-market'
import { useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { useMarket } from '../market.ts'
import { Cover } from '../parts/Cover.tsx'
import { formatCompact, formatNumber } from '../parts/format.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { Name, nameOf } from '../parts/names.tsx'

export function NftCard({ collection }: { collection: NftCollectionTotals }) {
  const { queries } = useMarket()
  const { address, image, floorPrice, uniqueOwners, listingCount } = collection
  const [name, symbol] = [nameOf(collection.name, address), nameOf(collection.symbol, address)]
  const [isOpen, setOpen] = useState(false)
  const query = queries.nft.collection({ address })
  const details = useQuery({ ...query, enabled: isOpen })
  return (
    <li className="card nft">
      <Cover image={image} address={address} symbol={symbol} name={name} />
      <div className="nft-text">
        <h2 title={name}>
          <Name>{name}</Name>
        </h2>
        <dl>
          <div>
            <dt>Floor</dt>
            <dd>{floorPrice === null ? 'not listed' : `${formatNumber(floorPrice)} ETN`}</dd>
          </div>
          <div>
            <dt>Owners</dt>
            <dd>{formatNumber(uniqueOwners)}</dd>
          </div>
          <div>
            <dt>Listed</dt>
            <dd>{formatNumber(listingCount)}</dd>
          </div>
        </dl>
        {isOpen ? (
          <Loaded query={details} buys={[query]}>
            {({ stats, totalSupply }) => (
              <p className="nft-volume" tabIndex={-1} ref={(element) => element?.focus({ preventScroll: true })}>
                Volume <strong>{formatCompact(stats.volume ?? 0)} ETN</strong>, {formatNumber(totalSupply)} items
              </p>
            )}
          </Loaded>
        ) : (
          <CostButton buys={[query]} onClick={() => setOpen(true)} className="small wide-button">
            Volume
            <span className="visually-hidden">
              {' '}
              of <Name>{name}</Name>
            </span>
          </CostButton>
        )}
      </div>
    </li>
  )
}
