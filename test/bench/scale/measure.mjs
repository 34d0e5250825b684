/** Prints as JSON how one client behaves with very many calls at once. */
import { batchPerAddress } from './batch.mjs'
import { budgetPerSecond } from './budget.mjs'
import { abortAll, completeAll, queueCalls } from './queue.mjs'

const [WARM_UP, ...SIZES] = [1_000, 10_000, 100_000]

/** Measures each size after a warm-up. */
async function atEachSize(measure) {
  await measure(WARM_UP)
  const figures = []
  for (const size of SIZES) figures.push(await measure(size))
  return figures
}

const queued = async (name) => ({
  aborted: await atEachSize((size) => queueCalls(name, size, abortAll)),
  completed: await atEachSize((size) => queueCalls(name, size, completeAll)),
})

// The budget comes first, while the heap is small: the other parts leave much to collect.
const figures = {
  budget: budgetPerSecond(),
  slot: await queued('slot'),
  rateLimit: await queued('rateLimit'),
  batch: await atEachSize(batchPerAddress),
}
console.log(JSON.stringify(figures))
