import fc from 'fast-check'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { nodesOf, sources } from './source.ts'

/** What runs on the machine of a developer reads no input of others. */
const written = sources.filter(({ path }) => !path.startsWith('contract/'))

/** Without a repetition, a match has a limited length, and its time as well. */
const REPETITION = /[*+]|\{\d+,/

/** Every regular expression with a repetition, and where it stands. */
const expressions = new Map(
  written.flatMap(({ path, tree }) =>
    nodesOf(tree)
      .filter((node) => ts.isRegularExpressionLiteral(node) && REPETITION.test(node.text))
      .map((node) => [node.getText(), path] as const),
  ),
)

/** The CPU time for the last length is 0.05 ms, or 100 ms where it grows with the square. The first ones find what grows faster. */
const LENGTHS = [25, 1_000, 10_000]
const MAX_MS = 15
const TRIES = 3
const SAMPLES = 3
/** Matches no class but those that exclude something. */
const MISMATCH = '\u0001'
const ENDS = ['', MISMATCH]
const USUAL = [' ', '\t', '\n', '0', 'a', '/', '.', '"', '{', MISMATCH]
/** What a text is looked at for without taking a part of it: `fast-check` makes no texts for these. */
const ASSERTIONS = /\\b|\(\?<?[!=][^()]*\)/g

function toExpression(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

/** Texts that match at first, then repeat a part of the match, and fail at the end: such a text makes an expression try again and again. */
function attacksOn({ source }: RegExp): { start: string; repeated: string }[] {
  const matches = fc.sample(fc.stringMatching(new RegExp(source.replace(ASSERTIONS, ''))), {
    numRuns: SAMPLES,
    seed: 1,
  })
  const parts = matches.flatMap((match) =>
    Array.from(match.slice(0, 30), (_, index) => [1, 2].map((width) => [index, width] as const)).flatMap((places) =>
      places.map(([index, width]) => ({ start: match.slice(0, index), repeated: match.slice(index, index + width) })),
    ),
  )
  const attacks = [...USUAL.map((repeated) => ({ start: '', repeated })), ...parts]
  return [...new Map(attacks.map((attack) => [JSON.stringify(attack), attack])).values()]
}

/** CPU time, in milliseconds: a busy machine does not change it. */
function timeOf(expression: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < TRIES && best > MAX_MS; attempt++) {
    const before = process.cpuUsage()
    if (expression.global) text.replace(expression, '')
    else expression.test(text)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

/** The first text for which an expression takes too long. */
function findSlow(expression: RegExp): string | undefined {
  for (const length of LENGTHS) {
    for (const { start, repeated } of attacksOn(expression)) {
      const text = start + repeated.repeat(length / repeated.length)
      const ms = Math.max(...ENDS.map((end) => timeOf(expression, text + end)))
      if (ms > MAX_MS)
        return `${JSON.stringify(start)} and ${length} of ${JSON.stringify(repeated)}: ${ms.toFixed(0)} ms`
    }
  }
  return undefined
}

test('the search finds expressions whose time grows with the square of the length', () => {
  // Of white space at the end, as in a `Retry-After` of 15 kB; of two that share characters; of a start that is found again and again.
  for (const slow of [/[ \t]+$/, /^Bearer +(.*\S)/i, /\{[^}]*\}/g]) expect(findSlow(slow), String(slow)).toBeDefined()
})

test.each([...expressions])('%s in %s takes a time that grows with the length of the text', (literal) => {
  expect(findSlow(toExpression(literal))).toBeUndefined()
})
