import fc from 'fast-check'
import { expect } from 'vitest'
import { SmallSet } from '../../src/utils/small-set.ts'
import { testProperty } from '../support/property.ts'

const ITEMS = [{}, {}, {}, {}]
const steps = fc.array(fc.record({ isAdded: fc.boolean(), item: fc.constantFrom(...ITEMS) }))

testProperty(
  'holds the same items as a Set',
  fc.property(steps, (list) => {
    const [small, model] = [new SmallSet<object>(), new Set<object>()]
    for (const { isAdded, item } of list) {
      if (!isAdded) expect(small.delete(item)).toBe(model.delete(item))
      else {
        small.add(item)
        model.add(item)
      }
      expect(small.size).toBe(model.size)
      expect(small.items()).toHaveLength(model.size)
      expect(new Set(small.items())).toEqual(model)
    }
  }),
  { cases: 100 },
)
