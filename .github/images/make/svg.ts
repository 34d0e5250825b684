/** What all plots share: one font, colours for light and dark surroundings in one file, and no text outside of it. */

const STYLE = `
    svg { background: #ffffff; font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif }
    text { fill: #57606a } .title { fill: #1f2328; font-size: 16px; font-weight: 600 } .strong { fill: #1f2328; font-weight: 600 }
    .grid { stroke: #d8dee4 } .axis { stroke: #8c959f } .shade { fill: #eaeef2 }
    .a { fill: #0969da } .b { fill: #bc4c00 } .c { fill: #8c959f } .good { fill: #1a7f37 } .bad { fill: #cf222e }
    .line-a { stroke: #0969da } .line-b { stroke: #bc4c00 } .line-c { stroke: #8c959f }
    .line-a, .line-b, .line-c { fill: none; stroke-width: 2.5; stroke-linejoin: round } .dashed { stroke-dasharray: 6 5 }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117 } text { fill: #9198a1 } .title, .strong { fill: #f0f6fc }
      .grid { stroke: #2a313c } .axis { stroke: #656c76 } .shade { fill: #1c2129 }
      .a { fill: #58a6ff } .b { fill: #f0883e } .c { fill: #656c76 } .good { fill: #3fb950 } .bad { fill: #f85149 }
      .line-a { stroke: #58a6ff } .line-b { stroke: #f0883e } .line-c { stroke: #656c76 }
    }`

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly title: string
  /** What the picture shows, for people who do not see it. */
  readonly description: string
  readonly parts: readonly string[]
}

export const MARGIN = 24

export function toSvg({ width, height, title, description, parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escapeXml(title)}</title>
  <desc>${escapeXml(description)}</desc>
  <style>${STYLE}
  </style>
  <rect class="background" width="100%" height="100%" fill="none"/>
  ${[text({ x: MARGIN, y: 34, class: 'title' }, title), ...parts].join('\n  ')}
</svg>
`
}

type Attributes = Readonly<Record<string, string | number>>

export const element = (name: string, attributes: Attributes): string => `<${name}${write(attributes)}/>`

export const text = (attributes: Attributes, content: string): string =>
  `<text${write(attributes)}>${escapeXml(content)}</text>`

export const line = (className: string, x1: number, y1: number, x2: number, y2: number): string =>
  element('line', { class: className, x1, y1, x2, y2 })

/** A line through points that stays at each value until the next one. */
export function steps(className: string, points: readonly (readonly [x: number, y: number])[], end: number): string {
  const [[x, y] = [0, 0], ...rest] = points
  const path = rest.map(([nextX, nextY]) => `H${round(nextX)}V${round(nextY)}`)
  return element('path', { class: className, d: `M${round(x)} ${round(y)}${path.join('')}H${round(end)}` })
}

const write = (attributes: Attributes) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? round(value) : escapeXml(value)}"`)
    .join('')

export const round = (value: number): number => Number(value.toFixed(1))

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

export const escapeXml = (content: string): string =>
  content.replace(/[<>&"]/g, (character) => ENTITIES[character] ?? character)

export const count = (value: number): string => Math.round(value).toLocaleString('en-US')
