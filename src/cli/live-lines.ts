import type { Output } from './host.ts'

/** Lines at the end of a terminal that are drawn again and again. */
export interface LiveLines {
  draw(lines: readonly string[]): void
  /** Shows the cursor again. What was drawn last stays. */
  end(): void
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** A line that wraps would be counted as one and leave its rest behind. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR_BELOW = '\u001b[J'

export function createLiveLines(stream: Output): LiveLines {
  let drawn = 0
  return {
    draw(lines) {
      const shown = lines.slice(0, Math.max(1, (stream.rows ?? 24) - 1))
      const up = drawn === 0 ? '' : `\u001b[${drawn}A`
      stream.write(`${HIDE_CURSOR}${NO_WRAP}${up}\r${CLEAR_BELOW}${shown.map((line) => `${line}\n`).join('')}${WRAP}`)
      drawn = shown.length
    },
    end: () => void stream.write(WRAP + SHOW_CURSOR),
  }
}
