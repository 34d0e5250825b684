import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
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
const demo = __DEMO__ ? import('./demo/start.tsx').then(({ startDemo }) => startDemo()) : Promise.resolve(undefined)
demo.then(show, () => root.render(<DemoFailure />))

function show(demoPanel: ReactNode): void {
  const market = createMarket()
  root.render(
    <StrictMode>
      <MarketContext value={market}>
        <QueryClientProvider client={market.queryClient}>
          <App demoPanel={demoPanel} />
        </QueryClientProvider>
      </MarketContext>
    </StrictMode>,
  )
}

/** Some browsers have no service workers in private windows. */
function DemoFailure() {
  return (
    <main>
      <div className="card notice" role="alert">
        <h1>The demo cannot start here</h1>
        <p>It needs a service worker, which this browser does not allow. Open the page in another window or browser.</p>
      </div>
    </main>
  )
}
