import type { ReactNode } from 'react'

interface SortHeaderProps {
  /** How the table is sorted by this column; undefined while it is sorted by another one. */
  direction: 'ascending' | 'descending' | undefined
  onSort: () => void
  className?: string
  /** Text below the button. */
  note?: ReactNode
  children: ReactNode
}

/** The heading of a column that sorts its table. */
export function SortHeader({ direction, onSort, className, note, children }: SortHeaderProps) {
  return (
    <th scope="col" aria-sort={direction ?? 'none'} className={className}>
      <button type="button" className="sort" onClick={onSort}>
        {children}
        <span className="sort-arrow" aria-hidden="true">
          {direction === 'ascending' ? '▲' : '▼'}
        </span>
      </button>
      {note}
    </th>
  )
}
