import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'

const ROOT = new URL('../../src/', import.meta.url)

export interface Import {
  /** A path below src, such as `request/types.ts`, or the name of a package. */
  readonly from: string
  /** Whether only types are taken, which leave no trace at run time. */
  readonly typeOnly: boolean
  /** Whether it loads when it is asked for, by `import()`. */
  readonly lazy: boolean
}

export interface SourceFile {
  /** Below src, such as `request/call.ts`. */
  readonly path: string
  readonly lines: number
  readonly imports: readonly Import[]
  readonly tree: ts.SourceFile
}

/** Every TypeScript file of src. */
export const sources: readonly SourceFile[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(new URL(path, ROOT), 'utf8')
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
    return { path, lines: text.trimEnd().split('\n').length, imports: importsOf(tree), tree }
  })

export function nodesOf(node: ts.Node, found: ts.Node[] = []): ts.Node[] {
  found.push(node)
  ts.forEachChild(node, (child) => void nodesOf(child, found))
  return found
}

function importsOf(tree: ts.SourceFile): Import[] {
  return nodesOf(tree).flatMap((node) => {
    if (ts.isImportDeclaration(node)) return [toImport(tree, node.moduleSpecifier, isTypeOnlyImport(node))]
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      const names = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined
      const typeOnly = node.isTypeOnly || (names?.every((name) => name.isTypeOnly) ?? false)
      return [toImport(tree, node.moduleSpecifier, typeOnly)]
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      return node.arguments.slice(0, 1).map((specifier) => ({ ...toImport(tree, specifier, false), lazy: true }))
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      return [toImport(tree, node.argument.literal, true)]
    }
    return []
  })
}

function isTypeOnlyImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = importClause.namedBindings
  return (
    !importClause.name && names !== undefined && ts.isNamedImports(names) && names.elements.every((n) => n.isTypeOnly)
  )
}

function toImport(tree: ts.SourceFile, specifier: ts.Node, typeOnly: boolean): Import {
  const text = ts.isStringLiteralLike(specifier) ? specifier.text : `(computed in ${tree.fileName})`
  if (!text.startsWith('.')) return { from: text, typeOnly, lazy: false }
  return { from: posix.join(posix.dirname(tree.fileName), text), typeOnly, lazy: false }
}

/** Every file and package that a file loads, directly or not, at once or later. Types leave no trace at run time. */
export const loadedBy = (path: string): Set<string> => follow(path, true)

/** The same without what loads when it is asked for. */
export const loadedAtOnceBy = (path: string): Set<string> => follow(path, false)

function follow(path: string, isLazyFollowed: boolean, seen = new Set<string>()): Set<string> {
  const file = sources.find((source) => source.path === path)
  for (const { from, typeOnly, lazy } of file?.imports ?? []) {
    if (typeOnly || (lazy && !isLazyFollowed) || seen.has(from)) continue
    seen.add(from)
    follow(from, isLazyFollowed, seen)
  }
  return seen
}
