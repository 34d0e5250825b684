import { hydrate, QueryClient } from '@tanstack/react-query'
import { createClient } from 'etn-market'
import { etnQueries } from 'etn-market/tanstack-query'
import { hydrateRoot, type Root } from 'react-dom/client'
import { Page } from './page.tsx'

/** Takes the page over. It has no key: further calls go to the proxy. */
export function hydratePage(app: Element, stateText: string): Root {
  const { address, data } = JSON.parse(stateText)
  const queryClient = new QueryClient()
  hydrate(queryClient, data)
  const queries = etnQueries(createClient({ baseUrl: '/api/market' }))
  return hydrateRoot(app, <Page queryClient={queryClient} queries={queries} address={address} />)
}
