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
  if (/\bclock\??\.now$/i.test(text)) return HAS_AGE_CLOCK.test(path) ? 'age' : 'moment'
  return undefined
}

const READS_CLOCK = /\b(monotonic|now|toUnix|fromUnix)\b/
/** What has no part in the kind of an expression. */
const isWrapper = (node: ts.Node): node is ts.Node & { readonly expression: ts.Expression } =>
  ts.isParenthesizedExpression(node) ||
  ts.isAwaitExpression(node) ||
  ts.isAsExpression(node) ||
  ts.isNonNullExpression(node) ||
  ts.isSatisfiesExpression(node)

/** Finds operators with readings of two clocks, in expressions and in what they name: constants, variables, fields and functions of the file. */
function findMixed({ path, tree }: Pick<SourceFile, 'path' | 'tree'>): string[] {
  const found = new Set<string>()
  /** What is assigned to a name, or returned by a function of that name; undefined for a name with several kinds. */
  const values = new Map<string, Kind | undefined>()
  const results = new Map<string, Kind | undefined>()
  const note = (into: typeof values, name: ts.Node, kind: Kind | undefined) => {
    if (kind === undefined) return
    const key = name.getText()
    into.set(key, into.has(key) && into.get(key) !== kind ? undefined : kind)
  }
  const mix = (node: ts.Node, kinds: readonly (Kind | undefined)[]): Kind | undefined => {
    const [kind, other] = [...new Set(kinds.filter((each) => each !== undefined))]
    if (other !== undefined) found.add(`${path}: ${node.getText().replace(/\s+/g, ' ')}`)
    return kind
  }
  /** The declaration that a name refers to. */
  const declarationOf = (name: ts.Identifier): ts.Node | undefined => {
    for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
      const lists = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements.filter(ts.isVariableStatement) : []
      const declared: readonly ts.NamedDeclaration[] = [
        ...lists.flatMap(({ declarationList }) => declarationList.declarations),
        ...(ts.isForStatement(scope) && scope.initializer && ts.isVariableDeclarationList(scope.initializer)
          ? scope.initializer.declarations
          : []),
        ...(ts.isFunctionLike(scope) ? scope.parameters : []),
      ]
      const isOfName = (each: ts.NamedDeclaration) =>
        each.name !== undefined &&
        (ts.isObjectBindingPattern(each.name)
          ? each.name.elements.some((element) => element.name.getText() === name.text)
          : each.name.getText() === name.text)
      const known = declared.find(isOfName)
      if (known) return known
    }
    return undefined
  }
  const kindOf = (node: ts.Node | undefined, depth = 0): Kind | undefined => {
    if (node === undefined || depth > 20) return undefined
    const kindIn = (each: ts.Node) => kindOf(each, depth + 1)
    const reading = readingOf(node, path)
    if (reading !== undefined) return reading
    if (isWrapper(node)) return kindIn(node.expression)
    if (ts.isPrefixUnaryExpression(node)) return kindIn(node.operand)
    if (ts.isPropertyAccessExpression(node)) return values.get(node.name.text)
    if (ts.isIdentifier(node)) {
      const declared = declarationOf(node)
      if (declared === undefined) return undefined
      const initializer = ts.isVariableDeclaration(declared) && ts.isIdentifier(declared.name) && declared.initializer
      // A name that is taken out of an object has the kind of the field.
      return (initializer ? kindIn(initializer) : undefined) ?? values.get(node.text)
    }
    if (ts.isConditionalExpression(node)) return mix(node, [kindIn(node.whenTrue), kindIn(node.whenFalse)])
    if (ts.isCallExpression(node)) {
      const { expression } = node
      if (/^Math\.\w+$/.test(expression.getText())) return mix(node, node.arguments.map(kindIn))
      if (ts.isPropertyAccessExpression(expression)) return results.get(expression.name.text)
      return ts.isIdentifier(expression) ? results.get(expression.text) : undefined
    }
    if (!ts.isBinaryExpression(node)) return undefined
    const operator = node.operatorToken.kind
    const sides = [kindIn(node.left), kindIn(node.right)]
    if (operator === ts.SyntaxKind.MinusToken || operator === ts.SyntaxKind.MinusEqualsToken) {
      const kind = mix(node, sides)
      // What a reading is taken from is one of the same clock: the difference is a duration.
      return sides[1] === undefined ? kind : undefined
    }
    const isCompared = /^(\+|[<>]=?|[!=]==|\?\?)$/.test(ts.tokenToString(operator) ?? '')
    const kind = isCompared ? mix(node, sides) : undefined
    return operator === ts.SyntaxKind.PlusToken || operator === ts.SyntaxKind.QuestionQuestionToken ? kind : undefined
  }
  const returnsOf = (body: ts.Node | undefined): ts.Node[] => {
    if (body === undefined || !ts.isBlock(body)) return body ? [body] : []
    const inner = (node: ts.Node): ts.Node[] => {
      if (ts.isFunctionLike(node)) return []
      if (ts.isReturnStatement(node)) return node.expression ? [node.expression] : []
      const below: ts.Node[] = []
      node.forEachChild((child) => void below.push(...inner(child)))
      return below
    }
    return inner(body)
  }
  const learn = (node: ts.Node) => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const { left } = node
      note(values, ts.isPropertyAccessExpression(left) ? left.name : left, kindOf(node.right))
    }
    const isDeclared = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)
    if (isDeclared && node.initializer) {
      const { initializer } = node
      if (ts.isArrowFunction(initializer))
        for (const each of returnsOf(initializer.body)) note(results, node.name, kindOf(each))
      else if (!ts.isVariableDeclaration(node)) note(values, node.name, kindOf(initializer))
    }
    if (ts.isGetAccessor(node)) for (const each of returnsOf(node.body)) note(values, node.name, kindOf(each))
    if ((ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name)
      for (const each of returnsOf(node.body)) note(results, node.name, kindOf(each))
  }
  const nodes = READS_CLOCK.test(tree.text) ? nodesOf(tree) : []
  // The second pass knows what the first one has found.
  for (let look = 0; look < 2; look++) for (const node of nodes) learn(node)
  found.clear()
  for (const node of nodes) if (ts.isExpression(node) && !ts.isIdentifier(node)) kindOf(node)
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
    ['a field', 'class A { #at = clock.monotonic(); f() { return clock.now() - this.#at } }'],
    ['an assigned field', 'class A { f() { this.at = clock.monotonic() } g() { return this.at < ages.now() } }'],
    ['a getter', 'class A { get at() { return clock.monotonic() } f() { return this.at - clock.now() } }'],
    ['a method', 'class A { #now() { return clock.monotonic() } f() { return this.#now() - clock.now() } }'],
    ['a function', 'const now = () => clock.monotonic(); const f = () => clock.now() - now()'],
    ['a variable', 'function f() { let at = 0; at = clock.monotonic(); return clock.now() - at }'],
    ['a loop', 'function f() { for (const at = clock.monotonic(); clock.now() - at < 5; ) {} }'],
    ['a default', 'const f = (at = clock.monotonic()) => clock.now() - at'],
    ['an operator that assigns', 'function f() { let at = clock.now(); at -= clock.monotonic() }'],
    ['a cast', 'const f = async () => (await (clock.now() as number))! - -clock.monotonic()'],
    ['an optional clock', 'const f = () => clock?.now() - clock.monotonic()'],
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
