import { expect, test } from 'vitest'
import { safeImageUrl } from '../src/parts/safe-image.ts'

const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG'

test.each([
  ['https://nft.example/a/cover.png', 'https://nft.example/a/cover.png'],
  [' HTTPS://nft.example/ä.png ', 'https://nft.example/%C3%A4.png'],
  [`ipfs://${CID}/1.png`, `https://ipfs.io/ipfs/${CID}/1.png`],
  [`ipfs://ipfs/${CID}`, `https://ipfs.io/ipfs/${CID}`],
  ['http://nft.example/cover.png', undefined],
  ['javascript:alert(1)', undefined],
  ['java\nscript:alert(1)', undefined],
  ['data:image/svg+xml,<svg/>', undefined],
  ['blob:https://nft.example/1', undefined],
  ['//nft.example/cover.png', undefined],
  ['cover.png', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('the picture %j is loaded from %j', (text, expected) => {
  expect(safeImageUrl(text)).toBe(expected)
})
