import { useQuery } from '@tanstack/react-query'
import type { Pool } from 'etn-market'
import { useState } from 'react'
import { ChartLink } from '../credits/ChartLink.tsx'
import { ColumnCost } from '../credits/ColumnCost.tsx'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { formatCompact, formatNumber } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { Name, nameOf } from '../parts/names.tsx'
import { Switch } from '../parts/Switch.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { POOL_LIMITS, queriesOf, WETN } from '../purchases.ts'

const VERSIONS = [2, 3] as const

/** Liquidity pools of one version. */
export function Pools() {
  const { queries } = useMarket()
  const [version, setVersion] = useState<(typeof VERSIONS)[number]>(2)
  const [limit, setLimit] = useState<(typeof POOL_LIMITS)[number]>(POOL_LIMITS[0])
  const query = queries.pool.list({ version, limit })
  const pools = useQuery(query)
  return (
    <>
      <ViewHeader title="Pools">Pairs that trade on the exchange, one version of it at a time.</ViewHeader>
      <section className="card table-card" aria-label="Pools">
        <div className="toolbar">
          <Switch
            label="Version"
            values={VERSIONS}
            value={version}
            nameOf={(each) => `V${each}`}
            onChange={setVersion}
            buys={(each) => [queries.pool.list({ version: each, limit })]}
          />
          <Switch
            label="Rows"
            values={POOL_LIMITS}
            value={limit}
            onChange={setLimit}
            buys={(each) => [queries.pool.list({ version, limit: each })]}
          />
        </div>
        <Loaded query={pools} loading={{ of: 'rows', count: limit }} buys={[query]}>
          {(list) =>
            list.length === 0 ? <Empty title={`No pools of version ${version}`} /> : <PoolTable pools={list} />
          }
        </Loaded>
      </section>
    </>
  )
}

function PoolTable({ pools }: { pools: readonly Pool[] }) {
  const { queries } = useMarket()
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">
              Pair <ColumnCost of={queriesOf('candles', queries)}>Chart:</ColumnCost>
            </th>
            <th scope="col" className="number">
              Supply
            </th>
            <th scope="col" className="number">
              Since block
            </th>
            <th scope="col" className="number">
              Pool
            </th>
            <th scope="col" className="number">
              Deployed by
            </th>
          </tr>
        </thead>
        <tbody>
          {pools.map((pool) => (
            <PoolRow key={pool.address} pool={pool} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PoolRow({ pool: { address, token0, token1 } }: { pool: Pool }) {
  // Most pools pair a token with wrapped ETN; the other one is of interest.
  const token = token0.address === WETN ? token1 : token0
  const [first, second] = [nameOf(token0.symbol, token0.address), nameOf(token1.symbol, token1.address)]
  const pair = `${first} / ${second}`
  return (
    <tr>
      <th scope="row">
        <ChartLink
          {...token}
          title={
            <>
              <Name>{first}</Name> / <Name>{second}</Name>
            </>
          }
        />
      </th>
      <td className="number">
        {formatCompact(token.totalSupply)}{' '}
        <span className="unit">
          <Name>{nameOf(token.symbol, token.address)}</Name>
        </span>
      </td>
      <td className="number">{formatNumber(token.blockAdded)}</td>
      <td className="number">
        <Address of={address} name={`the pool ${pair}`} />
      </td>
      <td className="number">
        <Address of={token.deployer} name={`the deployer of ${nameOf(token.symbol, token.address)}`} />
      </td>
    </tr>
  )
}
