import { workloads } from './index.mjs'

const KEY = 'esk_test_bench'

/** Connects the client of this process to the service. `calls` is how many calls need an input of their own. */
export async function connect({ file, workload, baseUrl, addresses }, calls) {
  const contender = await import(`../contenders/${file}`)
  const client = contender.connect({ baseUrl, apiKey: KEY, headers: { authorization: `Bearer ${KEY}` } })
  const work = workloads[workload]
  return { client, work, inputs: work.inputs(addresses, calls) }
}
