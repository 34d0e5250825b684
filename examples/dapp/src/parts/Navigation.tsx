import { useEffect, useRef } from 'react'
import { Cost } from '../credits/Cost.tsx'
import { useMarket } from '../market.ts'
import { queriesOf } from '../purchases.ts'
import { hrefOf, VIEWS, type View } from '../router.ts'

export const TITLES: Readonly<Record<View, string>> = {
  tokens: 'Tokens',
  candles: 'Candles',
  pools: 'Pools',
  nfts: 'NFT floors',
  presales: 'Presales',
  wallet: 'Wallet',
  locks: 'Locks',
}

/** Links to the views, with what it costs to open them. */
export function Navigation({ current }: { current: View }) {
  const { queries } = useMarket()
  const list = useRef<HTMLUListElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of the new view is looked up
  useEffect(() => {
    const link = list.current?.querySelector('[aria-current]')
    if (!list.current || !link) return
    // On a phone the list is one line that scrolls. `scrollIntoView` would also move where Tab continues.
    const [frame, shown] = [list.current.getBoundingClientRect(), link.getBoundingClientRect()]
    list.current.scrollLeft += shown.left + shown.width / 2 - frame.left - frame.width / 2
  }, [current])

  return (
    <nav aria-label="Views">
      <ul ref={list}>
        {VIEWS.map((view) => (
          <li key={view}>
            <a href={hrefOf(view)} aria-current={view === current ? 'page' : undefined}>
              <span>{TITLES[view]}</span> <Cost of={queriesOf(view, queries)} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
