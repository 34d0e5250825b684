/* A process that spends from a budget in a folder and kills itself at the step whose number it is given. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBudget } from '../../src/credits/budget.ts'

const [folder = '', limit, killAt, hasExclusiveKey] = process.argv.slice(2)

let passed = 0
/** One more step is over. */
function step(): void {
  passed++
  if (passed === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}

const store = {
  get(key: string) {
    const file = join(folder, encodeURIComponent(key))
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  },
  set(key: string, value: string) {
    step()
    const file = join(folder, encodeURIComponent(key))
    writeFileSync(`${file}.new`, value)
    step()
    renameSync(`${file}.new`, file)
    step()
  },
}

const ledgerFile = join(folder, 'ledger')
const charged = () => (existsSync(ledgerFile) ? readFileSync(ledgerFile, 'utf8').trim().split('\n').map(Number) : [])
const balance = () => 1_000_000 - charged().reduce((sum, credits) => sum + credits, 0)

const clock = { now: () => Date.UTC(2026, 10, 20, 12) }
const options = { credits: Number(limit), windowMs: 86_400_000, exclusiveKey: hasExclusiveKey === 'true' }
const budget = createBudget({ ...options, store }, clock)

/** The worst case of each request is 50; the service charges 40. */
async function request(how: 'answered' | 'lost'): Promise<void> {
  const reservation = await budget.reserve(50)
  step()
  await reservation.confirm({}, 'the key')
  step()
  appendFileSync(ledgerFile, '40\n')
  step()
  if (how === 'answered') reservation.settle(40, { remaining: balance() })
  else reservation.markUncertain()
  step()
}

try {
  await request('answered')
  await budget.flush()
  await Promise.all([request('answered'), request('lost'), request('answered')])
  await request('answered')
  await budget.flush()
  process.stdout.write(String(passed))
} catch (error) {
  process.stdout.write((error as Error).name)
}
