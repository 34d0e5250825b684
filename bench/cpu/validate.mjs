/** Turns of validated and of unvalidated calls in one process: microseconds of CPU a call of either. */
import { open } from '../workloads/open.mjs'
import { repeat } from '../workloads/repeat.mjs'

const WARM_UP = 2
const TURN = 50

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await open({ ...job, workload: 'candles' })
const used = { warn: 0, off: 0 }
for (let turn = -WARM_UP; turn < job.turns; turn++) {
  for (const validate of turn % 2 === 0 ? ['warn', 'off'] : ['off', 'warn']) {
    const before = process.cpuUsage()
    await repeat(work, client, inputs, TURN, { validate })
    const { user, system } = process.cpuUsage(before)
    if (turn >= 0) used[validate] += user + system
  }
}
const calls = job.turns * TURN
console.log(JSON.stringify({ warn: used.warn / calls, off: used.off / calls }))
