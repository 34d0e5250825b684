import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import { expect, inject, onTestFinished, test } from 'vitest'
import { bought, openView, PRICE, reload } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const FOLDER = '/etn-market/'

/** A host of static files, which has the demo in a folder, as GitHub Pages does. */
async function startHost(): Promise<string> {
  const files = staticMiddleware({ dir: inject('demoFiles') })
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    gracefulShutdown: false,
    fetch(request) {
      const { href, pathname } = new URL(request.url)
      const notFound = () => new Response('Not found', { status: 404 })
      if (!pathname.startsWith(FOLDER)) return notFound()
      return files(new Request(href.replace(FOLDER, '/'), request), notFound)
    },
  })
  onTestFinished(() => server.close(true))
  await server.ready()
  return new URL(FOLDER, server.url).href
}

test('the demo works in a folder of a host of static files, also after a reload', async () => {
  const page = await open(await startHost())
  await page.locator(PRICE).first().waitFor()
  await reload(page)
  await openView(page, 'NFT floors')
  const picture = page.locator('img.cover').first()
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  expect((await bought(page)).map(({ operation }) => operation)).toEqual(['token.list', 'nft.stats'])
})

test('a browser without service workers says why there is no demo', async () => {
  const page = await open(inject('demoUrl'), {
    serviceWorkers: 'block',
    expected: /Service Worker registration blocked/,
  })
  await page.getByRole('heading', { name: 'The demo cannot start here' }).waitFor()
})
