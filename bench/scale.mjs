/** What becomes of one client when there is very much to do at once. Prints its figures as JSON. */
import { batchPerAddress } from './scale/batch.mjs'
import { budgetPerSecond } from './scale/budget.mjs'
import { abortAll, drain, queue } from './scale/queue.mjs'

const [WARM_UP, ...SIZES] = [1_000, 10_000, 100_000]

/** The figures of each size, once everything is warm. */
async function atEachSize(measure) {
  await measure(WARM_UP)
  const figures = []
  for (const size of SIZES) figures.push(await measure(size))
  return figures
}

const queued = async (name) => ({
  aborted: await atEachSize((size) => queue(name, size, abortAll)),
  drained: await atEachSize((size) => queue(name, size, drain)),
})

// The budget first, while the heap is small: what follows leaves much to collect.
const figures = {
  budget: budgetPerSecond(),
  slot: await queued('slot'),
  refusal: await queued('refusal'),
  batch: await atEachSize(batchPerAddress),
}
console.log(JSON.stringify(figures))
