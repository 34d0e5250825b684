import { expect, test } from 'vitest'
import { VISITOR_CREDITS } from '../server/proxy-options.ts'
import { DemoAddressError, readVisitorCredits } from '../src/demo/visitor-credits.ts'

test.each([
  ['', VISITOR_CREDITS],
  ['?credits=1', 1],
  ['?credits=1000000000', 1_000_000_000],
])('the address %j allows %d credits', (search, credits) => {
  expect(readVisitorCredits(search)).toBe(credits)
})

test.each(['abc', '0', '-5', '1e3', '', '1000000001'])('?credits=%s is named as what is wrong', (credits) => {
  expect(() => readVisitorCredits(`?credits=${credits}`)).toThrow(DemoAddressError)
  expect(() => readVisitorCredits(`?credits=${credits}`)).toThrow(`“credits=${credits}”`)
})
