/** Turns of validated and of unvalidated calls in one process: the CPU of the ones over that of the others, turn by turn. */
import { open } from '../workloads/open.mjs'
import { repeat } from '../workloads/repeat.mjs'

const WARM_UP = 20
/** So short that both calls of a turn meet the same machine. */
const TURN = 15

const job = JSON.parse(process.env.JOB)
const { client, work, inputs } = await open({ ...job, workload: 'candles' })
const ratios = []
for (let turn = -WARM_UP; turn < job.turns; turn++) {
  const used = {}
  for (const validate of turn % 2 === 0 ? ['warn', 'off'] : ['off', 'warn']) {
    const before = process.cpuUsage()
    await repeat(work, client, inputs, TURN, { validate })
    const { user, system } = process.cpuUsage(before)
    used[validate] = user + system
  }
  if (turn >= 0) ratios.push(used.warn / used.off)
}
console.log(JSON.stringify(ratios))
