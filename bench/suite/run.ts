/**
 * A suite of 500 tests against the fake, and against msw handlers as a team writes them by hand. Prints how long each took and
 * their ratio, and fails when one is slower than it may be or anything is left open.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { install } from './install.ts'

const ROUNDS = 7
const TESTS = 500
const TARGET = 1.2
/** A process that has told its figures has this long to end by itself. */
const GRACE_MS = 5_000
const CONTENDERS = {
  handlers: 'hand-written msw handlers',
  fetch: 'a fake for each test, as fetch',
  msw: 'a fake for each file, behind msw',
} as const
type Contender = keyof typeof CONTENDERS
const contenders = Object.keys(CONTENDERS) as Contender[]

interface Figures {
  passed: number
  /** From the start of vitest to its end. */
  wallMs: number
  /** The same, as the processor counts it. */
  cpuMs: number
  /** In the test files alone, all of them together. */
  filesMs: number
}

const here = fileURLToPath(new URL('.', import.meta.url))
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN
const pad = (text: string) => text.padEnd(34)

/** Runs a program and returns what it tells. Throws unless it then ends by itself. */
async function run<T>(program: string, contender?: Contender): Promise<T> {
  const child = fork(`${here}${program}`, [], {
    cwd: here,
    execArgv: [],
    env: { ...process.env, CONTENDER: contender },
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const told = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (!told) throw new Error(`${program} ended without a word.`)
  const timer = setTimeout(() => child.kill(), GRACE_MS)
  const [code] = await ended
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${program} ${contender ?? ''} did not end by itself: something is left open.`)
  return told[0] as T
}

async function measure(contender: Contender): Promise<Figures> {
  const figures = await run<Figures>('one.mjs', contender)
  if (figures.passed !== TESTS) throw new Error(`${contender}: ${figures.passed} of ${TESTS} tests passed.`)
  return figures
}

await install()
for (const contender of contenders) await measure(contender)

// Interleaved, and each round in another order, so that a noisy minute hits all.
const rounds: Record<Contender, Figures>[] = []
for (let i = 0; i < ROUNDS; i++) {
  const round: Partial<Record<Contender, Figures>> = {}
  for (let k = 0; k < contenders.length; k++) {
    const contender = contenders[(i + k) % contenders.length] as Contender
    round[contender] = await measure(contender)
  }
  rounds.push(round as Record<Contender, Figures>)
}

console.log(`Node ${process.version}, ${TESTS} tests, medians of ${ROUNDS} interleaved rounds`)
let worst = 0
for (const contender of contenders) {
  const middle = (figure: keyof Figures) => median(rounds.map((round) => round[contender][figure])).toFixed(0)
  const ratio = (figure: keyof Figures) =>
    median(rounds.map((round) => round[contender][figure] / round.handlers[figure]))
  console.log(`${pad(CONTENDERS[contender])} ${middle('wallMs')} ms, ${middle('cpuMs')} ms of CPU`)
  if (contender === 'handlers') continue
  worst = Math.max(worst, ratio('wallMs'))
  const others = `${ratio('cpuMs').toFixed(2)} of CPU, ${ratio('filesMs').toFixed(2)} in the files alone`
  console.log(`${pad('')} ratio ${ratio('wallMs').toFixed(2)} (${others}), target ${TARGET.toFixed(2)}`)
}
const open = await run<string[]>('open.mjs')
// The pipes are standard output and error, and the line to this process.
const left = open.filter((resource) => resource !== 'PipeWrap')
console.log(`${pad('left open by 60 fakes and clients')} ${left.join(', ') || 'nothing'}`)
if (worst > TARGET || left.length > 0) process.exitCode = 1
