/** Prints the bytes that a call allocates, those that are collected later included. One client per process, measured after a warm-up. */
import { PerformanceObserver } from 'node:perf_hooks'
import { connect } from '../workloads/connect.mjs'
import { repeat } from '../workloads/repeat.mjs'

/** Enough for the JIT to optimise most of a client. */
const WARM_UP = 2_500

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await connect(job, WARM_UP + job.calls)
await repeat({ client, work, inputs, calls: WARM_UP })
globalThis.gc()
let collections = 0
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length
})
observer.observe({ entryTypes: ['gc'] })
// The collection above is reported in a later turn, and does not count.
await new Promise((resolve) => setTimeout(resolve, 50))
collections = 0
const before = process.memoryUsage().heapUsed
await repeat({ client, work, inputs, first: WARM_UP, calls: job.calls })
const bytes = process.memoryUsage().heapUsed - before
await new Promise((resolve) => setTimeout(resolve, 50))
if (collections > 0) throw new Error(`${collections} collections took place: with fewer calls there are none.`)
console.log(JSON.stringify(bytes / job.calls))
