import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AnyQuery } from '../credits/cost.ts'
import { Failure } from './Failure.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** What another attempt buys. */
  buys: readonly AnyQuery[]
  children: (data: Data) => ReactNode
}

/** The data of a query, or what there is instead of it. */
export function Loaded<Data>({ query, buys, children }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query
  if (data !== undefined) return children(data)
  if (error && !isFetching) return <Failure error={error} buys={buys} onRetry={() => void refetch()} />
  return <Loading />
}

export function Loading() {
  return (
    <div className="card loading" role="status">
      <span className="visually-hidden">Loading</span>
      {[92, 76, 84, 68, 80].map((width) => (
        <span key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}

/** What a view shows when there is nothing. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="card notice">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  )
}
