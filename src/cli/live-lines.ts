import type { HostProcess, Output } from './host.ts'

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

export function createLiveLines(stream: Output): LiveLines {
  let drawn: readonly string[] = []
  let isEnded = false
  const clear = () => (drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r${CLEAR_BELOW}`)

  function draw(lines: readonly string[]): void {
    if (isEnded) return
    const before = clear()
    drawn = fitRows(lines, (stream.rows ?? 24) - 1)
    stream.write(`${HIDE_CURSOR}${NO_WRAP}${before}${drawn.map((line) => `${line}\n`).join('')}${WRAP}`)
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
      stream.write(WRAP + SHOW_CURSOR)
    },
  }
}

/** What scrolls away cannot be drawn again: of too many lines the last one stays, which sums up. */
function fitRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= Math.max(1, rows)) return lines
  return [...lines.slice(0, Math.max(0, rows - 1)), ...lines.slice(-1)]
}
