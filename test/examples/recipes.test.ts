import { useFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../proxy/listen.ts'

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
