import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
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
// The service and the proxy have to run before the page asks for something.
const demo = __DEMO__ ? await import('./demo/start.tsx').then(({ startDemo }) => startDemo()) : undefined
const market = createMarket()

const root = document.querySelector('#root')
if (root === null) throw new Error('The page has no #root.')
createRoot(root).render(
  <StrictMode>
    <MarketContext value={market}>
      <QueryClientProvider client={market.queryClient}>
        <App demoPanel={demo} />
      </QueryClientProvider>
    </MarketContext>
  </StrictMode>,
)
