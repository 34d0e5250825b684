import { useQuery } from '@tanstack/react-query'
import { checksumAddress, isAddress, type LiquidityLock, unlocksAt } from 'etn-market'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { AddressForm } from '../parts/AddressForm.tsx'
import { formatDay, formatDistance, formatNumber } from '../parts/format.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { EXAMPLE_TOKENS } from '../purchases.ts'

/** Locked liquidity of a token, and when it unlocks. */
export function Locks({ address }: { address: string | undefined }) {
  const { queries } = useMarket()
  const token = address && isAddress(address) ? checksumAddress(address) : undefined
  return (
    <>
      <ViewHeader title="Locks">How much of a pool its owners cannot withdraw, and until when.</ViewHeader>
      <AddressForm
        view="locks"
        current={address}
        label="Address of a token"
        action="Find locks"
        examples={EXAMPLE_TOKENS}
        buys={(each) => [queries.locks.get({ address: each })]}
      />
      {token && <LocksOf key={token} token={token} />}
    </>
  )
}

function LocksOf({ token }: { token: string }) {
  const { queries } = useMarket()
  const query = queries.locks.get({ address: token })
  const locks = useQuery(query)
  return (
    <Loaded query={locks} loading={{ of: 'rows', count: 4 }} buys={[query]}>
      {(list) =>
        list.length === 0 ? <Empty title="No liquidity of this token is locked" /> : <LockTable locks={list} />
      }
    </Loaded>
  )
}

function LockTable({ locks }: { locks: readonly LiquidityLock[] }) {
  const sorted = [...locks].sort((one, other) => unlocksAt(one).getTime() - unlocksAt(other).getTime())
  return (
    <section className="card table-card" aria-label="Locks">
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Unlocks</th>
              <th scope="col" className="number">
                Share of the pool
              </th>
              <th scope="col" className="number">
                Pool
              </th>
              <th scope="col" className="number">
                Owner
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((lock) => (
              <LockRow key={lock.lockId} lock={lock} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function LockRow({ lock }: { lock: LiquidityLock }) {
  const date = unlocksAt(lock)
  const elapsed = Math.min(1, Math.max(0, (Date.now() / 1_000 - lock.created) / lock.duration))
  return (
    <tr>
      <th scope="row">
        <time dateTime={date.toISOString()}>{formatDay(date)}</time>{' '}
        <small className={elapsed < 1 ? 'hint' : 'hint down'}>{elapsed < 1 ? formatDistance(date) : 'open now'}</small>
        <progress value={elapsed} max={1} aria-label="Time of the lock that has passed" />
      </th>
      <td className="number">{formatNumber(lock.percentSupply)}%</td>
      <td className="number">
        <span className="tag">{lock.version}</span> <Address of={lock.pair} name="the pool" />
      </td>
      <td className="number">
        <Address of={lock.owner} name="the owner" />
      </td>
    </tr>
  )
}
