/** Prints the growth of the heap in bytes over many calls. One client per process. */
import { connect } from '../workloads/connect.mjs'
import { repeat } from '../workloads/repeat.mjs'
import { settledHeap } from './settled-heap.mjs'

const WARM_UP = 500

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await connect({ ...job, workload: 'light-50' })
await repeat({ client, work, inputs, calls: WARM_UP })
const before = await settledHeap()
await repeat({ client, work, inputs, calls: job.calls })
console.log(JSON.stringify((await settledHeap()) - before))
