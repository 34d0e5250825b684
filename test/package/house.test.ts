import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { nodesOf, type SourceFile, sources } from './source.ts'

const written = sources.filter(({ path }) => !path.startsWith('generated/'))
/** Every TypeScript file of test. */
const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(posix.join('test', path), 'utf8') }))
const pathsOf = (files: typeof testFiles, pattern: RegExp) =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
test('files of more than 300 lines are named, so that somebody looks whether each still holds one concept', () => {
  const long = written.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path} (${lines} lines)`)
  if (long.length > 0) process.stdout.write(`More than 300 lines: ${long.join(', ')}\n`)
  expect(written.length).toBeGreaterThan(100)
})

describe('no module has state, so that two clients share nothing:', () => {
  const declarations = (file: SourceFile) =>
    file.tree.statements.filter(ts.isVariableStatement).flatMap((statement) =>
      statement.declarationList.declarations.map((declaration) => ({
        isConst: (statement.declarationList.flags & ts.NodeFlags.Const) !== 0,
        name: `${file.path}: ${declaration.name.getText()}`,
        initializer: declaration.initializer,
      })),
    )

  test('no module-level let', () => {
    expect(sources.flatMap(declarations).filter(({ isConst }) => !isConst)).toEqual([])
  })

  test('no module-level container that is empty at first', () => {
    const beginsEmpty = (node: ts.Node | undefined): boolean => {
      if (node === undefined) return false
      if (ts.isNewExpression(node)) return (node.arguments?.length ?? 0) === 0
      if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0
      return ts.isObjectLiteralExpression(node) && node.properties.length === 0
    }
    const found = sources.flatMap(declarations).filter(({ initializer }) => beginsEmpty(initializer))
    expect(found.map(({ name }) => name)).toEqual([])
  })
})

test('every file and folder that the architecture names exists', () => {
  const guide = readFileSync('src/README.md', 'utf8')
  const named = [...guide.matchAll(/`([\w-]+(?:\/[\w.-]*)+)`/g)].map(([, path = '']) => path)
  const ofDiagram = [...guide.matchAll(/ ((?:request|credits|operations|transport)\/[\w-]+\.ts)/g)].map(
    ([, path = '']) => path,
  )
  const exists = (path: string) =>
    [path, `src/${path}`, `src/feed/${path}`, `${path}.test.ts`].some((candidate) => existsSync(candidate))
  const isPath = (path: string) => !path.startsWith('etn-market/') && !path.startsWith('text/')
  const paths = [...named.filter(isPath), ...ofDiagram]
  expect(paths.length).toBeGreaterThan(80)
  expect(paths.filter((path) => !exists(path))).toEqual([])
})

test('the guide and the types name the same first version of redis', () => {
  const [, first] = /\| `redis` \| (\d+\.\d+) or newer: /.exec(readFileSync('src/redis/GUIDE.md', 'utf8')) ?? []
  expect(readFileSync('src/redis/options.ts', 'utf8')).toContain(`\`redis\` (from ${first})`)
})

test('each seam names a test', () => {
  const [, seams = ''] = readFileSync('src/README.md', 'utf8').split('## Seams')
  const rows = (seams.split('\n## ')[0] ?? '').match(/^\| (?!parts|---).*$/gm) ?? []
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !/`test\/[\w/.-]+`/.test(row.split(' | ').at(-1) ?? ''))).toEqual([])
})

test('index.ts only re-exports', () => {
  const surfaces = sources.filter(({ path }) => path === 'index.ts')
  expect(surfaces.flatMap(({ tree }) => tree.statements).filter((node) => !ts.isExportDeclaration(node))).toEqual([])
})

test('the library prints nothing but a log that is asked for, and one warning: about a key in a page', () => {
  const silent = sources.filter(({ path }) => !/^(contract|generated|log)\//.test(path))
  const accesses = silent.flatMap(({ tree }) => nodesOf(tree)).filter(ts.isPropertyAccessExpression)
  const printing = accesses.filter(({ expression }) => expression.getText().split('.').at(-1) === 'console')
  expect(printing.map(({ name }) => name.text)).toEqual(['warn'])
})

test('export type * names only files without values: the declarations would turn those into values', () => {
  const hasValue = (statement: ts.Statement) =>
    (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isVariableStatement(statement)) &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  const withValues = new Set(sources.filter(({ tree }) => tree.statements.some(hasValue)).map(({ path }) => path))
  const stars = sources.flatMap(({ path, tree }) =>
    tree.statements.flatMap((node) => {
      if (!ts.isExportDeclaration(node) || !node.isTypeOnly || node.exportClause !== undefined) return []
      const target = node.moduleSpecifier?.getText().slice(1, -1) ?? ''
      return [`${path} -> ${posix.join(posix.dirname(path), target)}`]
    }),
  )
  expect(stars.length).toBeGreaterThan(0)
  expect(stars.filter((line) => withValues.has(line.split(' -> ')[1] ?? ''))).toEqual([])
})

test('random cases are tried by testProperty, which prints a failure at once and gives everybody the same cases', () => {
  const tests = testFiles.filter(({ path }) => path.endsWith('.test.ts'))
  expect(tests.length).toBeGreaterThan(100)
  expect(pathsOf(tests, /\bfc\.(assert|check)\(/)).toEqual([])
})

test('a fake beside a virtual clock has a clock, too: what it lists depends on the date, and what it refuses on the speed of the machine', () => {
  const hasClock = (options: ts.Expression | undefined) =>
    options !== undefined &&
    (!ts.isObjectLiteralExpression(options) ||
      options.properties.some((each) => ts.isSpreadAssignment(each) || each.name.getText() === 'clock'))
  const found = testFiles.flatMap(({ path, text }) => {
    if (!/createVirtualClock\(/.test(text) || !text.includes('createFakeService(')) return []
    const calls = nodesOf(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)).filter(ts.isCallExpression)
    const fakes = calls.filter(({ expression }) => expression.getText() === 'createFakeService')
    return fakes.filter(({ arguments: [options] }) => !hasClock(options)).map(() => path)
  })
  expect(found).toEqual([])
})

test('timers are counted where only those of the test are: other tests of a worker may have left something running', () => {
  const tests = testFiles.filter(({ path }) => !path.startsWith('support/'))
  expect(pathsOf(tests, /\b(getTimerCount|countTimers)\(/)).toEqual([])
})
