import { Presets, SingleBar } from 'cli-progress'
import type { SweepProgress } from 'etn-market'
import type { Output } from './host.ts'
import { formatCount } from './output.ts'

/** A progress bar. Silent where that is no terminal. */
export interface Progress {
  update(progress: SweepProgress): void
  /** Ends the bar and shows the cursor again. */
  stop(): void
}

export function createProgress(stream: Output, total: number): Progress {
  const format = '{bar} {value}/{total}  {failed} failed  {credits} credits  {left}'
  const bar = new SingleBar(
    { stream, format, noTTYOutput: false, hideCursor: true, gracefulExit: false },
    Presets.shades_classic,
  )
  const isShown = stream.isTTY === true
  if (isShown) bar.start(total, 0, { failed: 0, credits: '0', left: '' })
  return {
    update({ done, failed, credits, etaMs }) {
      if (isShown) bar.update(done, { failed, credits: formatCount(credits), left: formatLeft(etaMs) })
    },
    stop: () => bar.stop(),
  }
}

/** Such as `2 min 5 s left`. */
function formatLeft(ms: number | undefined): string {
  if (ms === undefined) return ''
  const seconds = Math.ceil(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s left` : `${minutes} min ${seconds % 60} s left`
}
