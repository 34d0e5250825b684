import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { VISITOR_CREDITS } from '../server/proxy-options.ts'
import { App } from './App.tsx'
import { DemoFailure } from './demo/DemoFailure.tsx'
import type { Demo } from './demo/start.tsx'
import { createMarket, MarketContext } from './market.ts'
import { applyTheme } from './parts/theme.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/panels.css'
import './styles/tables.css'
import './styles/views.css'
import './styles/cards.css'
import './styles/narrow.css'

applyTheme()
const element = document.querySelector('#root')
if (element === null) throw new Error('The page has no #root.')
const root = createRoot(element)

// The service and the proxy of the demo have to run before the page asks for something.
const demo: Promise<Demo | undefined> = __DEMO__
  ? import('./demo/start.tsx').then(({ startDemo }) => startDemo())
  : Promise.resolve(undefined)
demo.then(show, (error: unknown) => root.render(<DemoFailure error={error} />))

function show(started: Demo | undefined): void {
  const market = createMarket(started?.credits ?? VISITOR_CREDITS)
  root.render(
    <StrictMode>
      <MarketContext value={market}>
        <QueryClientProvider client={market.queryClient}>
          <App demoPanel={started?.panel} />
        </QueryClientProvider>
      </MarketContext>
    </StrictMode>,
  )
}
