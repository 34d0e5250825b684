/** One client in a process of its own: microseconds of CPU a call, once it is warm. */
import { open } from '../workloads/open.mjs'
import { repeat } from '../workloads/repeat.mjs'

/** Until the optimising compiler has seen most of a client; before that, the larger one looks dearer than it stays. */
const WARM_UP = 2_500

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await open(job)
await repeat(work, client, inputs, WARM_UP)
const before = process.cpuUsage()
await repeat(work, client, inputs, job.calls)
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify((user + system) / job.calls))
