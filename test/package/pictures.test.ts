import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { IMAGES, PICTURES } from '../../.github/images/make/pictures.ts'
import { fingerprint, hashFile, TAKEN } from '../../.github/images/make/taken.ts'

const MAX_BYTES = 120_000

test.each(Object.entries(PICTURES))(
  '"%s" is what its script draws: `npm run pictures -- --plots` makes it anew',
  async (name, draw) => {
    expect(readFileSync(`${IMAGES}${name}.svg`, 'utf8')).toBe(await draw())
  },
)

test.each(Object.entries(TAKEN))(
  'the pictures of %s show what there is: `npm run pictures` takes them anew',
  (_, taken) => {
    expect(readFileSync(hashFile(taken), 'utf8').trim()).toBe(fingerprint(taken))
  },
)

test('there is a script for every picture, and none is large', () => {
  const files = readdirSync(IMAGES).filter((file) => /\.(svg|webp|png)$/.test(file))
  const made = [
    ...Object.keys(PICTURES).map((name) => `${name}.svg`),
    'candles.webp',
    'market-dark.webp',
    'market-light.webp',
  ]
  expect(files.sort()).toEqual(made.sort())
  expect(files.filter((file) => statSync(`${IMAGES}${file}`).size > MAX_BYTES)).toEqual([])
})
