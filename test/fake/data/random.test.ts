import fc from 'fast-check'
import { expect } from 'vitest'
import { hash, unhash, unhashFirst } from '../../../src/fake/data/random.ts'
import { testProperty } from '../../support/property.ts'

const int32 = () => fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

testProperty(
  'the position that a hash was made of is found again',
  fc.property(int32(), int32(), int32(), (a, b, c) => {
    expect(unhash(hash(a, b, c), a, b)).toBe(c)
    expect(unhashFirst(hash(a)) | 0).toBe(a)
  }),
  { cases: 1000 },
)
