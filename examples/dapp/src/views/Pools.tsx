import { useQuery } from '@tanstack/react-query'
import type { Pool } from 'etn-market'
import { useState } from 'react'
import { CostLink } from '../credits/Cost.tsx'
import { useMarket } from '../market.ts'
import { formatCompact, shorten } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { Switch } from '../parts/Switch.tsx'
import { TokenName } from '../parts/TokenName.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { POOL_LIMITS, queriesOf, WETN } from '../purchases.ts'
import { hrefOf } from '../router.ts'

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
      <ViewHeader title="Pools">One version a call; the service has no combined list.</ViewHeader>
      <div className="controls">
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
      <Loaded query={pools} buys={[query]}>
        {(list) =>
          list.length === 0 ? <Empty title={`No pools of version ${version}`} /> : <PoolTable pools={list} />
        }
      </Loaded>
    </>
  )
}

function PoolTable({ pools }: { pools: readonly Pool[] }) {
  return (
    <section className="card table-card" aria-label="Pools">
      <table>
        <thead>
          <tr>
            <th scope="col">Pair</th>
            <th scope="col" className="wide">
              Pool
            </th>
            <th scope="col" className="number wide">
              Supply
            </th>
            <th scope="col" className="number">
              Chart
            </th>
          </tr>
        </thead>
        <tbody>
          {pools.map((pool) => (
            <PoolRow key={pool.address} pool={pool} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function PoolRow({ pool: { address, token0, token1, version } }: { pool: Pool }) {
  const { queries } = useMarket()
  // Most pools pair a token with wrapped ETN; the other one is of interest.
  const token = token0.address === WETN ? token1 : token0
  return (
    <tr>
      <th scope="row">
        <TokenName address={token.address} symbol={`${token0.symbol} / ${token1.symbol}`} name={token.name} />
      </th>
      <td className="wide">
        <span className="tag">V{version}</span> <code title={address}>{shorten(address)}</code>
      </td>
      <td className="number wide">
        {formatCompact(token.totalSupply)} {token.symbol}
      </td>
      <td className="number">
        <CostLink
          buys={queriesOf('candles', queries, token.address)}
          href={hrefOf('candles', token.address)}
          className="small"
        >
          {token.symbol}
          <span className="visually-hidden"> chart</span>
        </CostLink>
      </td>
    </tr>
  )
}
