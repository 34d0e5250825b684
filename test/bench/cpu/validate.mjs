/**
 * Prints the CPU time of validated calls over that of unvalidated ones, one ratio per turn. Both run in one process.
 */
import { connect } from '../workloads/connect.mjs'
import { repeat } from '../workloads/repeat.mjs'

const WARM_UP = 20
/** Calls of each kind per turn. Few, so that both kinds run under the same load. */
const TURN = 15

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await connect({ ...job, workload: 'candles' })
const ratios = []
for (let turn = -WARM_UP; turn < job.turns; turn++) {
  const used = {}
  for (const validate of turn % 2 === 0 ? ['warn', 'off'] : ['off', 'warn']) {
    const before = process.cpuUsage()
    await repeat({ client, work, inputs, calls: TURN, options: { validate } })
    const { user, system } = process.cpuUsage(before)
    used[validate] = user + system
  }
  if (turn >= 0) ratios.push(used.warn / used.off)
}
console.log(JSON.stringify(ratios))
