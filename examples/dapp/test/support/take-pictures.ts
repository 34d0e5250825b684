/**
 * Writes the pictures of the market page for the README of the repository: `npm run pictures` there. The page is the demo, on
 * Vite, with the fake service in it.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { launchChromium } from './launch-chromium.ts'

const IMAGES = fileURLToPath(new URL('../../../../.github/images/', import.meta.url))
const PAGE = fileURLToPath(new URL('../../', import.meta.url))
/** A price of the list that has arrived. */
const PRICE = '.token-table [data-price]:not([data-price=""])'
const SIZE = { width: 1200, height: 760 }
/** Sharp on screens of high density, and not larger than it must be. */
const SCALE = 1.5
const QUALITY = 0.82
/** The prices move, and the sparklines have something to show. */
const WATCHED_MS = 40_000

delete process.env.ETN_MARKET_API_KEY
const server = await createServer({
  root: PAGE,
  configFile: `${PAGE}vite.config.ts`,
  logLevel: 'error',
  server: { port: 0, host: '127.0.0.1' },
})
await server.listen()
const url = server.resolvedUrls?.local[0] ?? ''
const browser = await launchChromium()
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: SCALE,
    colorScheme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator(PRICE).first().waitFor({ timeout: 60_000 })
  await page.waitForTimeout(WATCHED_MS)
  const picture = await page.screenshot({ type: 'png' })
  // Chromium itself writes WebP, in a page without a policy.
  const blank = await context.newPage()
  const webp = await blank.evaluate(
    async ({ data, quality }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${data}`
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality).split(',')[1] ?? ''
    },
    { data: picture.toString('base64'), quality: QUALITY },
  )
  writeFileSync(`${IMAGES}market-${colorScheme}.webp`, Buffer.from(webp, 'base64'))
  await context.close()
}
await browser.close()
await server.close()
