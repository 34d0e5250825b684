import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, expect, test } from 'vitest'
import { SUBPATHS as ALL, fileNameOf, packed, runPacked } from './pack.ts'

/** `etn-market/vitest` loads in a test run of Vitest only; its fixtures have a test of their own. */
const SUBPATHS = ALL.filter((subpath) => subpath !== 'etn-market/vitest')

let program: ts.Program
let existing: { esm: Record<string, string[]>; cjs: Record<string, string[]> }

const LIST_NAMES = `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const namesOf = (loaded) => Object.keys(loaded).sort()
const esm = {}, cjs = {}
for (const subpath of ${JSON.stringify(SUBPATHS)}) {
  esm[subpath] = namesOf(await import(subpath))
  cjs[subpath] = namesOf(require(subpath))
}
console.log(JSON.stringify({ esm, cjs }))
`

const INSTALLED = join(packed.project, 'node_modules/etn-market')
const declarationOf = (subpath: string, extension: string) =>
  join(INSTALLED, `dist/${fileNameOf(subpath)}.d.${extension}`)

beforeAll(() => {
  existing = JSON.parse(runPacked('names.mjs', LIST_NAMES))
  const files = packed.files.filter((path) => /\.d\.c?ts$/.test(path)).map((path) => join(INSTALLED, path))
  // Only names of the package are looked up: without the types of the platform and of other packages it takes a fifth of the time.
  program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, types: [], noLib: true, noResolve: true })
}, 60_000)

/** The names of the values that a declaration file exports. */
function declaredValues(path: string): string[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${path} exports nothing`)
  const isValue = (symbol: ts.Symbol) => {
    if (symbol.declarations?.some(ts.isTypeOnlyExportDeclaration)) return false
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return (target.flags & ts.SymbolFlags.Value) !== 0
  }
  const exported = checker.getExportsOfModule(module).filter(isValue)
  return exported.map(({ name }) => name).sort()
}

test.each(SUBPATHS)('the declarations of %s name exactly the values that exist at run time', (subpath) => {
  const { esm, cjs } = existing
  expect(declaredValues(declarationOf(subpath, 'ts')), 'as an ES module').toEqual(esm[subpath])
  expect(declaredValues(declarationOf(subpath, 'cts')), 'as CommonJS').toEqual(cjs[subpath])
})
