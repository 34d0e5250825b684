import fc from 'fast-check'
import { expect } from 'vitest'
import { SmallSet } from '../../src/utils/small-set.ts'
import { testProperty } from '../support/property.ts'

const ITEMS = ['a', 'b', 'c', 'd'].map((name) => ({ name }))
const steps = fc.array(fc.record({ isAdded: fc.boolean(), item: fc.constantFrom(...ITEMS) }))

testProperty(
  'holds the same items as a Set, in the same order',
  fc.property(steps, (list) => {
    const [small, model] = [new SmallSet<object>(), new Set<object>()]
    for (const { isAdded, item } of list) {
      if (!isAdded) expect(small.delete(item)).toBe(model.delete(item))
      else {
        small.add(item)
        model.add(item)
      }
      expect(small.size).toBe(model.size)
      expect(small.items()).toEqual([...model])
    }
  }),
  { cases: 100 },
)
