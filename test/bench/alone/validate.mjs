/** Reports the CPU time of validated calls over that of unvalidated ones, one ratio per turn. Both run in one process. */
import { connect } from '../contenders/workloads.mjs'

const WARM_UP = 20
/** Calls of each kind per turn. Few, so that both kinds run under the same load. */
const CALLS = 15

const job = JSON.parse(process.env.JOB)
const repeat = await connect(job)
const ratios = []
for (let turn = -WARM_UP; turn < job.turns; turn++) {
  const used = {}
  for (const validate of turn % 2 === 0 ? ['warn', 'off'] : ['off', 'warn']) {
    const before = process.cpuUsage()
    await repeat(CALLS, { validate })
    const { user, system } = process.cpuUsage(before)
    used[validate] = user + system
  }
  if (turn >= 0) ratios.push(used.warn / used.off)
}
process.send(ratios)
