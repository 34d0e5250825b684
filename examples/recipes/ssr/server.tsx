import { dehydrate, QueryClient } from '@tanstack/react-query'
import type { Client } from 'etn-market'
import { etnQueries } from 'etn-market/tanstack-query'
import { renderToString } from 'react-dom/server'
import { Page } from './page.tsx'

/** The page with its data. The client holds the key, and serves all visitors. */
export async function renderPage(client: Client, address: string): Promise<string> {
  const queries = etnQueries(client)
  const queryClient = new QueryClient() // one for each request
  await queryClient.prefetchQuery(queries.token.price({ address }))
  const html = renderToString(<Page queryClient={queryClient} queries={queries} address={address} />)
  // `<` would let the data end its element.
  const state = JSON.stringify({ address, data: dehydrate(queryClient) }).replaceAll('<', '\\u003c')
  queryClient.clear()
  return `<div id="app">${html}</div><script id="state" type="application/json">${state}</script>`
}
