import type { UseQueryResult } from '@tanstack/react-query'
import { memo, type ReactNode } from 'react'
import type { AnyQuery } from '../credits/cost.ts'
import { Failure } from './Failure.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** What comes, so that its room is reserved. @default some lines */
  loading?: LoadingShape
  /** What another attempt buys. */
  buys: readonly AnyQuery[]
  children: (data: Data) => ReactNode
}

/** The data of a query, or what there is instead of it. */
export function Loaded<Data>({ query, loading, buys, children }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query
  if (data !== undefined) return children(data)
  if (error && !isFetching) return <Failure error={error} buys={buys} onRetry={() => void refetch()} />
  return <Loading {...loading} />
}

/** A table of rows, a grid of cards, presales with their switch, or a chart. */
export interface LoadingShape {
  of?: 'lines' | 'rows' | 'cards' | 'presales' | 'chart'
  /** How many lines, rows or cards. */
  count?: number
}

/** As tall as what it stands for: nothing below it moves when that comes. */
export const Loading = memo(function Loading({ of = 'lines', count = 5 }: LoadingShape) {
  return (
    <div className={`card loading loading-${of}`} role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <span key={index} className="bone" />
      ))}
    </div>
  )
})

/** What a view shows when there is nothing. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="card notice">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  )
}
