import type { SweepProgress } from 'etn-market'
import type { HostProcess, Output } from './host.ts'
import { formatItems } from './output.ts'
import type { Session } from './session.ts'

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** A line that wraps would be counted as one and leave its rest behind. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR_BELOW = '\u001b[J'

/** Lines at the end of a terminal that are drawn again and again. */
export class TerminalDisplay {
  readonly #stream: Output
  readonly #host: HostProcess
  #drawn: readonly string[] = []
  /** What was drawn when the program was stopped. */
  #beforeStop: readonly string[] = []
  #isEnded = false

  constructor(stream: Output, host: HostProcess) {
    this.#stream = stream
    this.#host = host
    if (host.suspend === undefined) return
    host.on('SIGTSTP', this.#suspend)
    host.on('SIGCONT', this.#resume)
  }

  draw(lines: readonly string[]): void {
    if (this.#isEnded) return
    const before = this.#clear()
    // What scrolls away cannot be drawn again: of too many lines the last one stays, which sums up.
    const rows = Math.max(1, (this.#stream.rows ?? 24) - 1)
    this.#drawn = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), ...lines.slice(-1)]
    this.#stream.write(`${HIDE_CURSOR}${NO_WRAP}${before}${this.#drawn.map((line) => `${line}\n`).join('')}${WRAP}`)
  }

  printAbove(print: () => void): void {
    const isDrawn = !this.#isEnded && this.#drawn.length > 0
    if (isDrawn) this.#stream.write(this.#clear())
    print()
    if (isDrawn) this.#resume()
  }

  #clear(): string {
    return this.#drawn.length === 0 ? '' : `\u001b[${this.#drawn.length}A\r${CLEAR_BELOW}`
  }

  /** Ctrl-Z: the shell gets its cursor back, and what it prints meanwhile stays. */
  readonly #suspend = (): void => {
    this.#beforeStop = this.#drawn
    // A timer may draw before the program hears that it goes on.
    this.#drawn = []
    this.#stream.write(WRAP + SHOW_CURSOR)
    this.#host.suspend?.()
  }

  readonly #resume = (): void => {
    const lines = this.#drawn.length > 0 ? this.#drawn : this.#beforeStop
    this.#drawn = []
    this.draw(lines)
  }

  /** Shows the cursor again, and wraps lines again. What was drawn last stays. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#host.off('SIGTSTP', this.#suspend)
    this.#host.off('SIGCONT', this.#resume)
    this.#stream.write(WRAP + SHOW_CURSOR)
  }
}

const MAX_BAR = 40
const MIN_BAR = 5
const DEFAULT_COLUMNS = 80

/** A progress bar on standard error. Silent where that is no terminal. `stop` shows the cursor again. */
export function createProgress(session: Session, total: number) {
  const { stderr } = session.host
  const display = session.startDisplay(stderr)
  const update = (progress: SweepProgress) =>
    display?.draw([formatProgress(progress, stderr.columns || DEFAULT_COLUMNS)])
  update({ done: 0, failed: 0, total, credits: 0, etaMs: undefined })
  return { update, stop: () => display?.end() }
}

/** A line such as `█████░░░░░ 2/4  0 failed  4,000 credits  2 s left`. What comes last is left out first. */
export function formatProgress({ done, failed, total, credits, etaMs }: SweepProgress, columns: number): string {
  const parts = [`${done}/${total}`, `${failed} failed`, formatItems(credits, 'credit')]
  if (etaMs !== undefined) parts.push(formatLeft(etaMs))
  const textOf = (count: number) => parts.slice(0, count).join('  ')
  let shown = parts.length
  while (shown > 1 && MIN_BAR + 1 + textOf(shown).length > columns) shown--
  const text = textOf(shown)
  const width = Math.max(0, Math.min(MAX_BAR, columns - 1 - text.length))
  const filled = Math.round((width * done) / Math.max(1, total))
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`
}

/** Such as `2 min 5 s left`. */
function formatLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s left` : `${minutes} min ${seconds % 60} s left`
}
