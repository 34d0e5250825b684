import type { SweepProgress } from 'etn-market'
import type { HostProcess, Output } from './host.ts'
import { formatCount } from './output.ts'
import type { Session } from './session.ts'

/** Lines at the end of a terminal that are drawn again and again. */
export interface LiveLines {
  draw(lines: readonly string[]): void
  /** Prints something else above the lines, on the same terminal. */
  printAbove(print: () => void): void
  /** Shows the cursor again, and wraps lines again. What was drawn last stays. */
  end(): void
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** A line that wraps would be counted as one and leave its rest behind. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR_BELOW = '\u001b[J'

/** Whether lines can be drawn again: on a terminal that moves its cursor. */
export function canDraw({ isTTY }: Output, { TERM }: HostProcess['env']): boolean {
  return isTTY === true && TERM !== 'dumb'
}

export function createLiveLines(stream: Output, host: HostProcess): LiveLines {
  let drawn: readonly string[] = []
  let isEnded = false
  const clear = () => (drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r${CLEAR_BELOW}`)

  function draw(lines: readonly string[]): void {
    if (isEnded) return
    const before = clear()
    drawn = fitRows(lines, (stream.rows ?? 24) - 1)
    stream.write(`${HIDE_CURSOR}${NO_WRAP}${before}${drawn.map((line) => `${line}\n`).join('')}${WRAP}`)
  }

  /** Ctrl-Z: the shell gets its cursor back, and what it prints meanwhile stays. */
  function suspend(): void {
    stream.write(WRAP + SHOW_CURSOR)
    host.suspend?.()
  }

  function resume(): void {
    const lines = drawn
    drawn = []
    draw(lines)
  }

  if (host.suspend !== undefined) {
    host.on('SIGTSTP', suspend)
    host.on('SIGCONT', resume)
  }

  return {
    draw,
    printAbove(print) {
      const lines = drawn
      stream.write(clear())
      drawn = []
      print()
      if (lines.length > 0) draw(lines)
    },
    end() {
      if (isEnded) return
      isEnded = true
      host.off('SIGTSTP', suspend)
      host.off('SIGCONT', resume)
      stream.write(WRAP + SHOW_CURSOR)
    },
  }
}

/** What scrolls away cannot be drawn again: of too many lines the last one stays, which sums up. */
function fitRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= Math.max(1, rows)) return lines
  return [...lines.slice(0, Math.max(0, rows - 1)), ...lines.slice(-1)]
}

/** A progress bar on standard error. Silent where that is no terminal. */
export interface Progress {
  update(progress: SweepProgress): void
  /** Ends the bar and shows the cursor again. */
  stop(): void
}

const MAX_BAR = 40
const MIN_BAR = 5
const DEFAULT_COLUMNS = 80

export function createProgress(session: Session, total: number): Progress {
  const { stderr } = session.host
  if (!canDraw(stderr, session.host.env)) return { update() {}, stop() {} }
  const lines = session.startLiveLines(stderr)
  const update = (progress: SweepProgress) => lines.draw([formatProgress(progress, columnsOf(stderr))])
  update({ done: 0, failed: 0, total, credits: 0, etaMs: undefined })
  return { update, stop: () => lines.end() }
}

const columnsOf = ({ columns }: Output) => columns || DEFAULT_COLUMNS

/** A line such as `█████░░░░░ 2/4  0 failed  4,000 credits  2 s left`. What comes last is left out first. */
export function formatProgress({ done, failed, total, credits, etaMs }: SweepProgress, columns: number): string {
  const parts = [`${done}/${total}`, `${failed} failed`, `${formatCount(credits)} credits`]
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
