import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fingerprintPage, MARKET_SOURCES } from '../../.github/images/make/market-page.ts'
import { IMAGES, PICTURES } from '../../.github/images/make/pictures.ts'

const MAX_BYTES = 120_000

test.each(Object.entries(PICTURES))(
  '"%s" is what its script draws: `npm run pictures -- --plots` makes it anew',
  async (name, draw) => {
    expect(readFileSync(`${IMAGES}${name}.svg`, 'utf8')).toBe(await draw())
  },
)

test('the pictures of the market page show the page as it is: `npm run pictures` takes them anew', () => {
  expect(readFileSync(MARKET_SOURCES, 'utf8').trim()).toBe(fingerprintPage())
})

test('there is a script for every picture, and none is large', () => {
  const files = readdirSync(IMAGES).filter((file) => /\.(svg|webp|png)$/.test(file))
  const made = [...Object.keys(PICTURES).map((name) => `${name}.svg`), 'market-dark.webp', 'market-light.webp']
  expect(files.sort()).toEqual(made.sort())
  expect(files.filter((file) => statSync(`${IMAGES}${file}`).size > MAX_BYTES)).toEqual([])
})
