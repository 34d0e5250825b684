import { workloads } from './index.mjs'

const KEY = 'esk_test_bench'

/** Connects the one client of this process to the service. */
export async function open({ file, workload, baseUrl, addresses }) {
  const { connect } = await import(`../contenders/${file}`)
  const client = connect({ baseUrl, apiKey: KEY, headers: { authorization: `Bearer ${KEY}` } })
  const work = workloads[workload]
  return { client, work, inputs: work.inputs(addresses) }
}
