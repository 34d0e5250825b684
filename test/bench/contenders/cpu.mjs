/** Reports the CPU time of a call in microseconds. One client per process, measured after a warm-up. */
import { connect } from './workloads.mjs'

const job = JSON.parse(process.env.JOB)
const { warmUp, calls } = job
const repeat = await connect(job, warmUp + calls)
await repeat(warmUp)
const before = process.cpuUsage()
await repeat(calls)
const { user, system } = process.cpuUsage(before)
process.send((user + system) / calls)
