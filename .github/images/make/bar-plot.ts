import { count, element, MARGIN, text, toSvg } from './svg.ts'

export interface Bar {
  /** `a`, `b` or `c`: a colour of the plots. */
  readonly className: string
  readonly label: string
  /** Stands below the label, in smaller letters. */
  readonly detail: string
  readonly credits: number
}

export interface BarPlot {
  readonly title: string
  /** What the bars are about, below the title. */
  readonly subject: string
  readonly description: string
  readonly bars: readonly Bar[]
  /** Where the bars begin, in pixels. */
  readonly left: number
  /** Room for the figures behind the longest bar, in pixels. */
  readonly right: number
  /** Writes credits as money. */
  readonly formatMoney: (credits: number) => string
}

const WIDTH = 840
const ROW = 56
const TOP = 86
const HEIGHT = 30

/** Horizontal bars, each with its credits and what they are in money. */
export function drawBars({ title, subject, description, bars, left, right, formatMoney }: BarPlot): string {
  const most = Math.max(...bars.map(({ credits }) => credits))
  const parts = bars.flatMap(({ className, label, detail, credits }, index) => {
    const y = TOP + index * ROW
    // A line at least: a thousandth of the longest bar is less than a pixel.
    const width = Math.max(2, ((WIDTH - left - right) * credits) / most)
    return [
      text({ x: left - 16, y: y + 12, class: 'strong', 'text-anchor': 'end' }, label),
      text({ x: left - 16, y: y + 29, 'text-anchor': 'end' }, detail),
      element('rect', { class: className, x: left, y: y + 1, width, height: HEIGHT, rx: Math.min(3, width / 2) }),
      text({ x: left + width + 10, y: y + 14, class: 'strong' }, `${count(credits)} credits`),
      text({ x: left + width + 10, y: y + 30 }, formatMoney(credits)),
    ]
  })
  return toSvg({
    width: WIDTH,
    height: TOP + bars.length * ROW + 14,
    title,
    description,
    parts: [text({ x: MARGIN, y: 58 }, subject), ...parts],
  })
}

/** The bars in words. */
export const listBars = (bars: readonly Bar[]): string =>
  bars.map(({ label, credits }) => `${label}: ${count(credits)} credits`).join('. ')
