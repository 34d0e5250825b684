import { createContext } from './context.ts'
import {
  aCachedAnswer,
  aPageBuysABatch,
  aPrice,
  origins,
  refusals,
  theKeyIsInNoAnswer,
  theServiceNamesTheKey,
  traversal,
} from './steps.ts'
import { aPageStreamsTwoPrices, eventsArriveOneByOne, visitorsLeave } from './stream-steps.ts'

/** In order: later steps find what earlier ones have bought in the proxy's cache. */
const STEPS = [
  aPrice,
  aCachedAnswer,
  aPageBuysABatch,
  traversal,
  origins,
  refusals,
  aPageStreamsTwoPrices,
  eventsArriveOneByOne,
  visitorsLeave,
  theServiceNamesTheKey,
  theKeyIsInNoAnswer,
]

// The origin of the server and the base URL of the service are the arguments. The process must exit by itself.
const [, , origin = '', serviceUrl = ''] = process.argv
const context = createContext(origin, serviceUrl)
for (const step of STEPS) {
  try {
    // Shown when the process is killed because a step never ends.
    process.stderr.write(`${step.name}\n`)
    await step(context)
  } catch (cause) {
    throw new Error(`${step.name} failed: ${cause}`, { cause })
  }
}
process.stdout.write(`${STEPS.length} steps, ${context.received.length} parts of answers without the key\n`)
