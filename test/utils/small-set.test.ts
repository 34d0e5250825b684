import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SmallSet } from '../../src/utils/small-set.ts'

const ITEMS = [{}, {}, {}, {}]

test('holds the same items as a Set', () => {
  const steps = fc.array(fc.record({ isAdded: fc.boolean(), index: fc.nat(ITEMS.length - 1) }))
  fc.assert(
    fc.property(steps, (list) => {
      const [small, model] = [new SmallSet<object>(), new Set<object>()]
      for (const { isAdded, index } of list) {
        const item = ITEMS[index] as object
        if (isAdded) {
          small.add(item)
          model.add(item)
        } else expect(small.delete(item)).toBe(model.delete(item))
        expect(small.size).toBe(model.size)
        expect(small.items()).toHaveLength(model.size)
        expect(new Set(small.items())).toEqual(model)
      }
    }),
  )
})
