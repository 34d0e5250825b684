import { type ReactNode, useEffect, useRef } from 'react'
import { CreditMeter } from './credits/CreditMeter.tsx'
import { Navigation } from './parts/Navigation.tsx'
import { ThemeContext, ThemeSwitch, useThemeState } from './parts/theme.tsx'
import { hrefOf, useRoute, type View } from './router.ts'
import { Candles } from './views/Candles.tsx'
import { Locks } from './views/Locks.tsx'
import { Nfts } from './views/Nfts.tsx'
import { Pools } from './views/Pools.tsx'
import { Presales } from './views/Presales.tsx'
import { Tokens } from './views/Tokens.tsx'
import { Wallet } from './views/Wallet.tsx'

const CONTENTS: Readonly<Record<View, (props: { address: string | undefined }) => ReactNode>> = {
  tokens: Tokens,
  candles: Candles,
  pools: Pools,
  nfts: Nfts,
  presales: Presales,
  wallet: Wallet,
  locks: Locks,
}

/** @param props.demoPanel shown below the view while the service runs in the page */
export function App({ demoPanel }: { demoPanel: ReactNode }) {
  const { view, address } = useRoute()
  const theme = useThemeState()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(view)
  const Content = CONTENTS[view]

  useEffect(() => {
    if (shown.current === view) return
    shown.current = view
    // A screen reader reads on where the new view begins.
    main.current?.focus()
    scrollTo(0, 0)
  }, [view])

  return (
    <ThemeContext value={theme}>
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header className="top">
        <div className="bar">
          <a className="brand" href={hrefOf('tokens')}>
            <span className="brand-mark" aria-hidden="true" />
            <span className="brand-name">ETN market</span>
          </a>
          <span className="badge">{__DEMO__ ? 'Demo' : 'Live'}</span>
          <CreditMeter />
          <ThemeSwitch />
        </div>
        <Navigation current={view} />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Content address={address} />
      </main>
      {demoPanel && <footer>{demoPanel}</footer>}
    </ThemeContext>
  )
}
