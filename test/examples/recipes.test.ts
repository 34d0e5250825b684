import { hydrate, QueryClient } from '@tanstack/react-query'
import { createClient } from 'etn-market'
import { createFakeService, fakeTokens, useFakeService } from 'etn-market/fake'
import { etnQueries } from 'etn-market/tanstack-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Page } from '../../examples/recipes/ssr/page.tsx'
import { renderPage } from '../../examples/recipes/ssr/server.tsx'
import { listen } from '../proxy/listen.ts'

const { BOLT } = fakeTokens

test('the proxy of the recipes gives each visitor a signed cookie, by a Next route and by node:http', async () => {
  const fake = await useFakeService({ after: onTestFinished })
  vi.stubEnv('SESSION_SECRET', 'secret of the test')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { GET } = await import('../../examples/recipes/next/app/api/market/[...path]/route.ts')
  onTestFinished(() => GET.close())
  const origin = await listen(GET)

  const visit = async (ask: (request: Request) => Promise<Response>, cookie = '', path = '/nft/stats') => {
    const answer = await ask(new Request(`${origin}/api/market${path}`, { headers: { cookie } }))
    await answer.body?.cancel()
    const [set = ''] = answer.headers.get('set-cookie')?.split(';') ?? []
    return { answer: [answer.status, answer.headers.get('x-credits-cost')], set }
  }
  const { answer, set: cookie } = await visit(GET)
  expect(answer).toEqual([200, '25'])
  expect(cookie).toMatch(/^visitor=[\w-]{36}\.[0-9a-f]{64}$/)
  expect(await visit(fetch, cookie)).toEqual({ answer: [200, '0'], set: '' })
  const forged = cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect((await visit(fetch, forged)).set).toMatch(/^visitor=/)
  expect((await visit(fetch, cookie, '/farms/52014')).answer).toEqual([403, null])
  // A secret that is missing opens nothing to the operator.
  expect(
    (await GET(new Request(`${origin}/api/market/_status`, { headers: { authorization: 'Bearer undefined' } }))).status,
  ).toBe(404)
  fake.expectCredits({ 'nft.stats': 25 })
})

test('a page that was rendered on the server is the same in the browser, and buys nothing there', async () => {
  await using fake = createFakeService()
  await using client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  fake.world.setPrice(BOLT, '0.019')
  const html = await renderPage(client, BOLT)
  const [, app, state = ''] = /^<div id="app">(.*)<\/div><script [^>]*>([^<]*)<\/script>$/.exec(html) ?? []
  expect(app).toContain('$0.019')

  const { address, data } = JSON.parse(state)
  const queryClient = new QueryClient()
  hydrate(queryClient, data)
  const queries = etnQueries(createClient({ baseUrl: '/api/market' }))
  expect(renderToString(createElement(Page, { queryClient, queries, address }))).toBe(app)
  queryClient.clear()
  fake.expectCredits({ 'token.price': 50 })
})
