import type { SweepProgress } from 'etn-market'
import type { Output } from './host.ts'
import { canDraw } from './live-lines.ts'
import { formatCount } from './output.ts'
import type { Session } from './session.ts'

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
