import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The source file of every subpath, by its name: `index`, `feed`, … */
export function entryFiles(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object }
  const names = Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => subpath.slice(2))
  return new Map(names.map((name) => (name === '' ? ['index', 'src/index.ts'] : [name, `src/${name}/index.ts`])))
}

/** The declaration of each source file, as `npm run build` writes it. */
const DECLARATIONS = join(ROOT, '.cache/declarations')

/** The report of every subpath, by its path: each public declaration, and the types that it names. */
export function apiReports(): Map<string, string> {
  const entries = [...entryFiles()].map(([name, path]) => ({ name, file: declarationOf(path) }))
  const program = createProgram(new Map(entries.map(({ name, file }) => [subpathOf(name), file])))
  const checker = program.getTypeChecker()
  const surfaces = entries.map(({ name, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} exports nothing`)
    const symbols = checker
      .getExportsOfModule(module)
      .map((symbol) => ({ as: symbol.name, symbol: resolve(symbol, checker) }))
    return { name, subpath: subpathOf(name), symbols }
  })
  const homes = new Map(
    surfaces.toReversed().flatMap(({ subpath, symbols }) => symbols.map(({ symbol }) => [symbol, subpath])),
  )
  const isOwn = (node: ts.Node) => node.getSourceFile().fileName.startsWith(DECLARATIONS)
  return new Map(
    surfaces.map((surface) => [`test/package/api/${surface.name}.api.md`, report(surface, homes, checker, isOwn)]),
  )
}

const subpathOf = (name: string) => (name === 'index' ? 'etn-market' : `etn-market/${name}`)

const declarationOf = (path: string) => join(DECLARATIONS, path.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'))

interface Surface {
  readonly subpath: string
  readonly symbols: readonly { readonly as: string; readonly symbol: ts.Symbol }[]
}

function report(
  surface: Surface,
  homes: Map<ts.Symbol, string>,
  checker: ts.TypeChecker,
  isOwn: (node: ts.Node) => boolean,
): string {
  const own = new Set(surface.symbols.map(({ symbol }) => symbol))
  const elsewhere = new Set<string>()
  const unexported = new Map<ts.Symbol, string>()

  const statementOf = (node: ts.Node): ts.Node | undefined => {
    if (ts.isSourceFile(node) || !isOwn(node)) return undefined
    return ts.findAncestor(node, ({ parent }) => parent !== undefined && ts.isSourceFile(parent))
  }
  const textOf = (symbol: ts.Symbol): string => {
    const statements = new Set((symbol.declarations ?? []).map(statementOf).filter((node) => node !== undefined))
    for (const statement of statements) visit(statement)
    return [...statements].map((statement) => withoutComments(statement.getText())).join('\n')
  }
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    const found = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    const symbol = found && resolve(found, checker)
    if (!symbol || own.has(symbol) || unexported.has(symbol) || !isTopLevel(symbol, isOwn)) return
    const home = homes.get(symbol)
    if (home !== undefined) elsewhere.add(`- \`${symbol.name}\` from \`${home}\``)
    else {
      unexported.set(symbol, '')
      unexported.set(symbol, textOf(symbol))
    }
  }

  const exported = surface.symbols.map(({ as, symbol }): [string, string] => [as, textOf(symbol)])
  const inner = [...unexported].map(([symbol, text]): [string, string] => [symbol.name, text])
  return [
    `# \`${surface.subpath}\`\n`,
    'Written by `npm run api`. A change of this file is a change of the public types.\n',
    fenced(exported),
    ...(inner.length > 0 ? [`## Named above, but not exported\n\n${fenced(inner)}`] : []),
    ...(elsewhere.size > 0 ? [`## Exported by another subpath\n\n${[...elsewhere].sort().join('\n')}\n`] : []),
  ].join('\n')
}

function resolve(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function isTopLevel({ declarations = [] }: ts.Symbol, isOwn: (node: ts.Node) => boolean): boolean {
  return declarations.some((node) => {
    if (ts.isSourceFile(node) || !isOwn(node)) return false
    return ts.isSourceFile(ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent)
  })
}

function fenced(texts: [string, string][]): string {
  const sorted = texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return `\`\`\`ts\n${sorted.join('\n\n')}\n\`\`\`\n`
}

const withoutComments = (text: string) =>
  text.replace(/^ *\/\*\*.*?\*\/\n/gms, '').replace(/import\("\.[^"]*"\)\./g, '')

/** Only the names of the package itself are looked up: without the types of the platform and of other packages it takes a fifth of the time. */
function createProgram(entries: Map<string, string>): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, ROOT)
  const paths = Object.fromEntries([...entries].map(([subpath, file]) => [subpath, [file]]))
  const files = ts.sys.readDirectory(DECLARATIONS, ['.d.ts'])
  return ts.createProgram(files, { ...options, paths, types: [], noLib: true, noResolve: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc')
  execFileSync(process.execPath, [compiler, '--project', join(ROOT, 'tsconfig.declarations.json')], {
    stdio: 'inherit',
  })
  for (const [path, text] of apiReports()) writeFileSync(join(ROOT, path), text)
}
