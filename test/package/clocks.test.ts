import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { nodesOf, type SourceFile, sources } from './source.ts'

/** What a reading of a clock shows: elapsed time, a time to count ages with, or a moment of the wall clock. */
type Kind = 'elapsed' | 'age' | 'moment'

const HOME = 'concurrency/clock.ts'
/** In these, `clock` is the age clock of a feed or a page; everywhere, one is called `ages`. */
const HAS_AGE_CLOCK = /^(feed|stream)\/|^proxy\/stream\/price-hub\.ts$/

/** The clocks of the runtime, and why these files read them. */
const READERS: Readonly<Record<string, string>> = {
  'cli/commands/candles.ts': 'which candles there are now',
  'cli/commands/demo.ts': 'a program that prints the same each time has a time of its own',
  'cli/commands/portfolio.ts': 'until when the decimals of a token are known',
  'cli/session.ts': 'how often progress is printed',
  'cli/tokens.ts': 'the age of a file',
  'file-store/file-lock.ts': 'how long a lock is silent, and its heartbeat',
  'file-store/file-store.ts': 'until when an entry is kept',
  'file-store/sqlite-file.ts': 'how long it waits for another program',
  'fake/options.ts': 'the beginning of the time of a fake',
}

function readingOf(node: ts.Node, path: string): Kind | undefined {
  if (!ts.isCallExpression(node)) return undefined
  const text = node.expression.getText()
  if (/\.monotonic$|^performance\.now$/.test(text)) return 'elapsed'
  if (/\.fromUnix$|\bages\.now$/.test(text)) return 'age'
  if (/\.toUnix$|^Date\.now$/.test(text)) return 'moment'
  if (/\bclock\.now$/i.test(text)) return HAS_AGE_CLOCK.test(path) ? 'age' : 'moment'
  return undefined
}

/** Finds operators with readings of two clocks, in expressions and in the constants that they name. */
function findMixed({ path, tree }: Pick<SourceFile, 'path' | 'tree'>): string[] {
  const found = new Set<string>()
  const mix = (node: ts.Node, kinds: readonly (Kind | undefined)[]): Kind | undefined => {
    const [kind, other] = [...new Set(kinds.filter((each) => each !== undefined))]
    if (other !== undefined) found.add(`${path}: ${node.getText().replace(/\s+/g, ' ')}`)
    return kind
  }
  const initializerOf = (name: ts.Identifier): ts.Expression | undefined => {
    for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
      if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue
      for (const statement of scope.statements) {
        if (!ts.isVariableStatement(statement)) continue
        const known = statement.declarationList.declarations.find((each) => each.name.getText() === name.text)
        if (known) return known.initializer
      }
    }
    return undefined
  }
  const kindOf = (node: ts.Expression | undefined, depth = 0): Kind | undefined => {
    if (node === undefined || depth > 20) return undefined
    const kindIn = (each: ts.Expression) => kindOf(each, depth + 1)
    const reading = readingOf(node, path)
    if (reading !== undefined) return reading
    if (ts.isParenthesizedExpression(node)) return kindIn(node.expression)
    if (ts.isIdentifier(node)) return kindOf(initializerOf(node), depth + 1)
    if (ts.isConditionalExpression(node)) return mix(node, [kindIn(node.whenTrue), kindIn(node.whenFalse)])
    if (ts.isCallExpression(node) && /^Math\.\w+$/.test(node.expression.getText()))
      return mix(node, node.arguments.map(kindIn))
    if (!ts.isBinaryExpression(node)) return undefined
    const operator = node.operatorToken.kind
    const sides = [kindIn(node.left), kindIn(node.right)]
    if (operator === ts.SyntaxKind.MinusToken) {
      const kind = mix(node, sides)
      // What a reading is taken from is one of the same clock: the difference is a duration.
      return sides[1] === undefined ? kind : undefined
    }
    const isCompared = /^(\+|[<>]=?|[!=]==|\?\?)$/.test(ts.tokenToString(operator) ?? '')
    const kind = isCompared ? mix(node, sides) : undefined
    return operator === ts.SyntaxKind.PlusToken || operator === ts.SyntaxKind.QuestionQuestionToken ? kind : undefined
  }
  for (const node of nodesOf(tree)) if (ts.isExpression(node) && !ts.isIdentifier(node)) kindOf(node)
  return [...found]
}

const others = sources.filter(({ path }) => path !== HOME)

test('no file but one subtracts or compares readings of different clocks', () => {
  expect(others.flatMap(findMixed)).toEqual([])
})

describe('the search finds', () => {
  test.each([
    ['a difference', 'const f = () => clock.now() - clock.monotonic()'],
    [
      'a difference of constants',
      'function f() { const now = clock.now(); const at = clock.monotonic(); return now - at }',
    ],
    ['a comparison', 'const f = () => clock.now() > ages.now()'],
    ['a sum of an age and elapsed time', 'const f = () => Math.max(ages.now() + 5, clock.monotonic() + 10)'],
    ['a choice', 'const f = (is) => (is ? performance.now() : Date.now())'],
  ])('%s', (_, text) => {
    const tree = ts.createSourceFile('request/x.ts', text, ts.ScriptTarget.ESNext, true)
    expect(findMixed({ path: 'request/x.ts', tree })).toHaveLength(1)
  })

  test('nothing in durations', () => {
    const text = 'const f = () => clock.monotonic() + Math.max(5, ages.now() - ages.now()) - (Date.now() - Date.now())'
    const tree = ts.createSourceFile('request/x.ts', text, ts.ScriptTarget.ESNext, true)
    expect(findMixed({ path: 'request/x.ts', tree })).toEqual([])
  })
})

test('the clocks of the runtime are read by named files only', () => {
  const codeOf = ({ tree }: SourceFile) => tree.text.replaceAll(/\/\*.*?\*\/|'.*?'/gs, '')
  const readers = others.filter((file) => /\b(Date\.now|performance\.now|uptime\(|hrtime)/.test(codeOf(file)))
  expect(readers.map(({ path }) => path).sort()).toEqual(Object.keys(READERS).sort())
})

test('a step of the wall clock is looked for in one file', () => {
  const isOther = ({ tree: { text } }: SourceFile) => /\bwall\.(now|monotonic)\(|\.jumpedMs\b|\.setBackMs\b/.test(text)
  const found = others.filter(isOther).map(({ path }) => path)
  // What a budget counts goes on over a jump, and its store states moments.
  expect(found).toEqual(['credits/budget.ts', 'credits/windows.ts'])
})
