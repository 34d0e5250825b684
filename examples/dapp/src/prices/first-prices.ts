import { useEffect, useState } from 'react'

/** Rows wait for their first prices for so long: the stream may have none. */
const MAX_WAIT_MS = 4_000

/** Whether rows are shown: they appear with their first prices, in their order, so that none moves when a price arrives. */
export function useFirstPrices(isComplete: boolean): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), MAX_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return isComplete || isLate
}
