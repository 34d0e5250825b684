/** One client in a process of its own: microseconds of CPU a call, once it is warm. */
import { open } from '../workloads/open.mjs'
import { repeat } from '../workloads/repeat.mjs'

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await open(job)
await repeat(work, client, inputs, job.calls / 4)
const before = process.cpuUsage()
await repeat(work, client, inputs, job.calls)
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify((user + system) / job.calls))
