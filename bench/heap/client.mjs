/** One client in a process of its own: bytes that the heap has grown by after many calls. */
import { open } from '../workloads/open.mjs'
import { repeat } from '../workloads/repeat.mjs'
import { settledHeap } from './settled.mjs'

const WARM_UP = 500

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await open({ ...job, workload: 'light-50' })
await repeat(work, client, inputs, WARM_UP)
const before = await settledHeap()
await repeat(work, client, inputs, job.calls)
console.log(JSON.stringify((await settledHeap()) - before))
