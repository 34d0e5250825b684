/** What `etn-market plan` prints on a terminal, colours included, as a picture. It sends nothing. */
import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run } from '../../../src/cli/program.ts'
import { escapeXml } from './svg.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const ARGUMENTS = ['plan', 'credits.yaml', '--daily-limit', '100000']
const COLUMNS = 92

/** Runs the program as in a terminal, and returns what was printed. */
export async function runPlan(): Promise<string> {
  let printed = ''
  const output = () =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text: string, _, done) {
          printed += text
          done()
        },
      }),
      { isTTY: true, columns: COLUMNS, rows: 40 },
    )
  const host = Object.assign(new EventEmitter(), {
    env: { TERM: 'xterm-256color' },
    stdin: Readable.from([]),
    stdout: output(),
    stderr: output(),
    cwd: () => FOLDER,
    exit() {},
  })
  await run(ARGUMENTS, host)
  return `$ npx etn-market ${ARGUMENTS.join(' ')}\n${printed}`
}

const LINE = 21
const CHARACTER = 8.45
const PADDING = 20
const TOP = 52

const STYLE = `
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #e6edf3; white-space: pre }
    .frame { fill: #0d1117; stroke: #30363d } .bold { font-weight: 700 } .dim { fill: #9198a1 } .red { fill: #ff7b72 }
    .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .cyan { fill: #39c5cf } .magenta { fill: #bc8cff }`

/** Select Graphic Rendition: what of it the program uses. */
const CLASSES: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'dim',
}
/** These end a colour, or bold and dim. */
const COLOUR_ENDS = '39'
const WEIGHT_ENDS = '22'

export function drawTerminal(printed: string): string {
  const lines = printed.trimEnd().split('\n')
  const longest = Math.max(...lines.map((line) => line.replace(ESCAPES, '').length))
  const width = Math.ceil(longest * CHARACTER + 2 * PADDING)
  const height = TOP + lines.length * LINE + PADDING / 2
  const rows = lines.map(
    (line, index) => `<text xml:space="preserve" x="${PADDING}" y="${TOP + 14 + index * LINE}">${toSpans(line)}</text>`,
  )
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${24 + index * 20}" cy="24" r="6" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>A terminal: ${escapeXml(lines[0] ?? '')}</title>
  <desc>${escapeXml(printed.replace(ESCAPES, '').trimEnd())}</desc>
  <style>${STYLE}
  </style>
  <rect class="frame" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
  ${[...buttons, ...rows].join('\n  ')}
</svg>
`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ESCAPES = /\u001b\[([\d;]*)m/g

function toSpans(line: string): string {
  let classes: string[] = []
  const parts = line.split(ESCAPES)
  return parts
    .map((part, index) => {
      if (index % 2 === 0) {
        const content = escapeXml(part)
        return classes.length === 0 || part === '' ? content : `<tspan class="${classes.join(' ')}">${content}</tspan>`
      }
      const isWeight = (name: string) => name === 'bold' || name === 'dim'
      for (const code of part.split(';')) {
        const name = CLASSES[code]
        if (name !== undefined) classes = [...classes, name]
        else if (code === COLOUR_ENDS) classes = classes.filter(isWeight)
        else if (code === WEIGHT_ENDS) classes = classes.filter((each) => !isWeight(each))
        else classes = []
      }
      return ''
    })
    .join('')
}
