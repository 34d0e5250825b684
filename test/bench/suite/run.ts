/**
 * Compares a suite of 500 tests on the fake with the same suite on hand-written msw handlers, and measures the fake alone.
 * Prints the time of each and the ratio. Fails if the fake is too slow or leaves a resource open.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { install } from '../support/processes.ts'
import { measureRound, spreadOf } from '../support/tables.ts'

const ROUNDS = 7
const TESTS = 500
const MAX_RATIO = 1.2
/** CPU time of 200 suites side by side, and answers of the largest routes in a second of it. */
const MAX_SUITES_MS = 2_000
const MIN_ANSWERS = 500
/** How long a process may live after it has reported its figures. */
const MAX_EXIT_MS = 5_000
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
  /** CPU time over the same span. */
  cpuMs: number
  /** Sum over the test files alone. */
  filesMs: number
}

/** The output of `fake-figures.mjs`. */
interface FakeFigures {
  suites: number
  inMemoryMs: number
  listeningMs: number
  createUs: number
  candles: Answers
  minutes: Answers
  batch: Answers
  history: Answers
}

interface Answers {
  perSecond: number
  /** The time of an answer over that of a handler with a constant text. */
  ratio: number
}

const here = fileURLToPath(new URL('.', import.meta.url))
const median = (list: readonly number[]) => spreadOf(list).median
const pad = (text: string) => text.padEnd(34)

/** Runs a program and returns the message that it sends. Throws unless the program then exits by itself. */
async function run<T>(program: string, contender?: Contender): Promise<T> {
  const child = fork(`${here}${program}`, [], {
    cwd: here,
    execArgv: [],
    env: { ...process.env, CONTENDER: contender },
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const message = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
  if (!message) throw new Error(`${program} exited without a message.`)
  const timer = setTimeout(() => child.kill(), MAX_EXIT_MS)
  const [code] = await exited
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${program} ${contender ?? ''} did not exit by itself: a resource is still open.`)
  return message[0] as T
}

async function measure(contender: Contender): Promise<Figures> {
  const figures = await run<Figures>('run-once.mjs', contender)
  if (figures.passed !== TESTS) throw new Error(`${contender}: ${figures.passed} of ${TESTS} tests passed.`)
  return figures
}

install()
for (const contender of contenders) await measure(contender)

const rounds: Record<Contender, Figures>[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(contenders, round, measure))

console.log(`Node ${process.version}, ${TESTS} tests, medians of ${ROUNDS} interleaved rounds`)
let worst = 0
for (const contender of contenders) {
  const middle = (figure: keyof Figures) => median(rounds.map((round) => round[contender][figure])).toFixed(0)
  const ratio = (figure: keyof Figures) =>
    median(rounds.map((round) => round[contender][figure] / round.handlers[figure]))
  console.log(`${pad(CONTENDERS[contender])} ${middle('wallMs')} ms, ${middle('cpuMs')} ms of CPU`)
  if (contender === 'handlers') continue
  worst = Math.max(worst, ratio('wallMs'))
  const others = `${ratio('cpuMs').toFixed(2)} of CPU, ${ratio('filesMs').toFixed(2)} in the test files alone`
  console.log(`${pad('')} ratio ${ratio('wallMs').toFixed(2)} (${others}), target ${MAX_RATIO.toFixed(2)}`)
}
const alone: FakeFigures[] = []
for (let round = 0; round < ROUNDS; round++) alone.push(await run<FakeFigures>('fake-figures.mjs'))
const figureOf = (select: (figures: FakeFigures) => number) => median(alone.map(select))
const suitesMs = figureOf(({ inMemoryMs }) => inMemoryMs)
// Most of it is the HTTP client and server of Node.
const listeningMs = figureOf(({ listeningMs }) => listeningMs)
let isSlow = suitesMs > MAX_SUITES_MS
console.log(`${pad('200 suites side by side, as fetch')} ${suitesMs.toFixed(0)} ms of CPU, target ${MAX_SUITES_MS} ms`)
console.log(`${pad('200 suites side by side, listening')} ${listeningMs.toFixed(0)} ms of CPU`)
for (const [title, select] of [
  ['500 candles of 1d', ({ candles }) => candles],
  ['500 candles of 1m', ({ minutes }) => minutes],
  ['a batch of 50', ({ batch }) => batch],
  ['a year of history', ({ history }) => history],
] as const satisfies [string, (figures: FakeFigures) => Answers][]) {
  const perSecond = figureOf((figures) => select(figures).perSecond)
  const ratio = figureOf((figures) => select(figures).ratio)
  isSlow ||= perSecond < MIN_ANSWERS
  console.log(
    `${pad(title)} ${perSecond.toFixed(0)} in a second of CPU, target ${MIN_ANSWERS}; ratio ${ratio.toFixed(1)} over a constant text`,
  )
}
console.log(`${pad('a fake is created in')} ${figureOf(({ createUs }) => createUs).toFixed(0)} µs of CPU`)
const resources = await run<string[]>('open-resources.mjs')
// Pipes are standard output, standard error and the channel to this process.
const open = resources.filter((resource) => resource !== 'PipeWrap')
console.log(`${pad('left open by 60 fakes and clients')} ${open.join(', ') || 'nothing'}`)
if (worst > MAX_RATIO || isSlow || open.length > 0) process.exitCode = 1
