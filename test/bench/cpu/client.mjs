/** Prints the CPU time of a call in microseconds. One client per process, measured after a warm-up. */
import { connect } from '../workloads/connect.mjs'
import { repeat } from '../workloads/repeat.mjs'

/** Enough calls for the JIT to optimise most of a client. With fewer, a larger client appears slower than it is. */
const WARM_UP = 2_500

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await connect(job, WARM_UP + job.calls)
await repeat({ client, work, inputs, calls: WARM_UP })
const before = process.cpuUsage()
await repeat({ client, work, inputs, first: WARM_UP, calls: job.calls })
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify((user + system) / job.calls))
