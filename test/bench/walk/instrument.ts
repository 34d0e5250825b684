import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../support/processes.ts'

const { factory } = ts
/** Each function says here that it is entered. */
const ENTER = '__enter'
/** What stands for the service, and for nobody's call. */
const NOT_COUNTED = /^(fake|contract)\//

/** Makes JavaScript of a copy of `src`, in which each function reports its file and line first. Returns its folder. */
export function instrument(ref: string | undefined): string {
  // In the root, so that it finds the packages of the project.
  const folder = join(ROOT, '.cache/walk', ref ?? 'working-tree')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if (ref === undefined) cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  else {
    const archive = execFileSync('git', ['archive', ref, 'src'], { cwd: ROOT, maxBuffer: 1e9 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  }
  // The program reads its version there.
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  const source = join(folder, 'src')
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue
    const text = readFileSync(join(source, file), 'utf8')
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      jsx: ts.JsxEmit.ReactJSX,
    }
    const transformers = { after: NOT_COUNTED.test(file) ? [] : [reportEntries(file)] }
    const { outputText } = ts.transpileModule(text, { fileName: file, compilerOptions: options, transformers })
    const own = (name: string) => (name === '' ? 'index.js' : `${name}/index.js`)
    const toRoot = relative(dirname(file), '.') || '.'
    const linked = outputText
      .replace(/((?:from|import) ?\(?['"]\.{1,2}\/[^'"]*)\.tsx?(['"])/g, '$1.js$2')
      .replace(
        /((?:from|import) ?\(?['"])etn-market(?:\/(\w[\w-]*))?(['"])/g,
        (_, before: string, name: string | undefined, after: string) => `${before}${toRoot}/${own(name ?? '')}${after}`,
      )
    writeFileSync(join(source, file.replace(/\.tsx?$/, '.js')), linked)
  }
  return source
}

const reportEntries =
  (file: string): ts.TransformerFactory<ts.SourceFile> =>
  (context) =>
  (sourceFile) => {
    const visit = (node: ts.Node): ts.Node => {
      const visited = ts.visitEachChild(node, visit, context)
      if (!ts.isFunctionLike(visited) || !('body' in visited) || visited.body === undefined) return visited
      const { line } = sourceFile.getLineAndCharacterOfPosition(ts.getOriginalNode(node).getStart(sourceFile))
      const report = factory.createExpressionStatement(
        factory.createCallExpression(factory.createIdentifier(ENTER), undefined, [
          factory.createStringLiteral(file),
          factory.createStringLiteral(`${nameOf(node)}:${line + 1}`),
        ]),
      )
      const body = visited.body as ts.ConciseBody
      const statements = ts.isBlock(body) ? body.statements : [factory.createReturnStatement(body)]
      return withBody(visited as ts.FunctionLikeDeclaration, factory.createBlock([report, ...statements], true))
    }
    return ts.visitEachChild(sourceFile, visit, context)
  }

function nameOf(node: ts.Node): string {
  const { name } = node as { name?: ts.Node }
  const { name: ofParent } = ((node as ts.Node & { parent?: ts.Node }).parent ?? {}) as { name?: ts.Node }
  const named = [name, ofParent].find((one) => one !== undefined && ts.isMemberName(one as ts.Node))
  return named === undefined ? 'anonymous' : (named as ts.MemberName).text
}

function withBody(node: ts.FunctionLikeDeclaration, body: ts.Block): ts.Node {
  const { parameters } = node
  const modifiers = node.modifiers as ts.NodeArray<ts.Modifier> | undefined
  if (ts.isArrowFunction(node))
    return factory.createArrowFunction(modifiers, undefined, parameters, undefined, node.equalsGreaterThanToken, body)
  if (ts.isConstructorDeclaration(node)) return factory.createConstructorDeclaration(modifiers, parameters, body)
  if (ts.isGetAccessor(node))
    return factory.createGetAccessorDeclaration(modifiers, node.name, parameters, undefined, body)
  if (ts.isSetAccessor(node)) return factory.createSetAccessorDeclaration(modifiers, node.name, parameters, body)
  const { asteriskToken } = node
  if (ts.isMethodDeclaration(node)) {
    const { name } = node
    return factory.createMethodDeclaration(
      modifiers,
      asteriskToken,
      name,
      undefined,
      undefined,
      parameters,
      undefined,
      body,
    )
  }
  const { name } = node as ts.FunctionDeclaration
  return ts.isFunctionExpression(node)
    ? factory.createFunctionExpression(modifiers, asteriskToken, name, undefined, parameters, undefined, body)
    : factory.createFunctionDeclaration(modifiers, asteriskToken, name, undefined, parameters, undefined, body)
}
