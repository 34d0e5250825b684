import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { nodesOf, type SourceFile, sources } from './source.ts'

const written = sources.filter(({ path }) => !path.startsWith('generated/'))
const places = (file: SourceFile, isWrong: (node: ts.Node) => boolean) =>
  nodesOf(file.tree)
    .filter(isWrong)
    .map((node) => `${file.path}:${file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)

test('a file is one concept: at most 200 lines', () => {
  expect(written.filter(({ lines }) => lines > 200).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
})

test('no any', () => {
  expect(sources.flatMap((file) => places(file, ({ kind }) => kind === ts.SyntaxKind.AnyKeyword))).toEqual([])
})

describe('no module-level state: two clients share nothing', () => {
  const declarations = (file: SourceFile) =>
    file.tree.statements.filter(ts.isVariableStatement).flatMap((statement) =>
      statement.declarationList.declarations.map((declaration) => ({
        isConst: (statement.declarationList.flags & ts.NodeFlags.Const) !== 0,
        name: `${file.path}: ${declaration.name.getText()}`,
        initializer: declaration.initializer,
      })),
    )

  test('no let', () => {
    expect(sources.flatMap(declarations).filter(({ isConst }) => !isConst)).toEqual([])
  })

  test('no container that begins empty', () => {
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

test('named exports only', () => {
  const isDefault = (node: ts.Node) => ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword
  expect(sources.flatMap((file) => places(file, isDefault))).toEqual([])
})

test('index.ts is the surface: it re-exports and computes nothing', () => {
  const surfaces = sources.filter(({ path }) => path === 'index.ts')
  expect(surfaces.flatMap(({ tree }) => tree.statements).filter((node) => !ts.isExportDeclaration(node))).toEqual([])
})

test('the library prints nothing but the warning of a key in a page', () => {
  const prints = (node: ts.Node) => ts.isIdentifier(node) && node.text === 'console'
  const runtime = sources.filter(({ path }) => !/^(contract|cli|generated)\//.test(path))
  const printing = runtime.filter((file) => places(file, prints).length > 0)
  expect(printing.map(({ path }) => path)).toEqual(['key.ts'])
})
