import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT } from './pack.ts'

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, { import?: { types: string } }>
}
const entries = Object.values(exports).flatMap(({ import: one }) => (one ? [join(ROOT, one.types)] : []))

/** A listener takes events, which only the package makes. */
const MADE_HERE = /Event$/

/** Optional properties of what callers hand over that do not take `undefined`, as `Type.property`. */
function propertiesWithoutUndefined(program: ts.Program): string[] {
  const checker = program.getTypeChecker()
  const isOwn = (node: ts.Node | undefined) => node?.getSourceFile().fileName.startsWith(join(ROOT, 'dist')) === true
  const found = new Set<string>()
  const [given, returned] = [new Set<ts.Type>(), new Set<ts.Type>()]

  const takesUndefined = (property: ts.Symbol): boolean => {
    const [declaration] = property.declarations ?? []
    if (declaration === undefined || !ts.isPropertySignature(declaration) || declaration.type === undefined) return true
    const type = checker.getTypeFromTypeNode(declaration.type)
    const parts = type.isUnion() ? type.types : [type]
    return parts.some(({ flags }) => flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Any | ts.TypeFlags.Unknown))
  }
  /** What a caller makes. */
  const visitGiven = (type: ts.Type, name: string): void => {
    if (given.has(type)) return
    given.add(type)
    if (type.isUnionOrIntersection()) for (const part of type.types) visitGiven(part, name)
    const constraint = type.flags & ts.TypeFlags.TypeParameter ? checker.getBaseConstraintOfType(type) : undefined
    if (constraint !== undefined) visitGiven(constraint, name)
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visitGiven(argument, name)
    if (!(type.flags & ts.TypeFlags.Object)) return
    const owner = type.aliasSymbol?.name ?? (type.symbol?.name.startsWith('__') ? name : type.symbol?.name) ?? name
    for (const property of type.getProperties()) {
      const [declaration] = property.declarations ?? []
      if (!isOwn(declaration)) continue
      const isMissing = property.flags & ts.SymbolFlags.Optional && !takesUndefined(property)
      if (isMissing && !MADE_HERE.test(owner)) found.add(`${owner}.${property.name}`)
      visitGiven(checker.getTypeOfSymbol(property), `${owner}.${property.name}`)
    }
    for (const index of checker.getIndexInfosOfType(type)) visitGiven(index.type, owner)
    // What a function of the caller gets is ours, and what it returns is the caller's.
    for (const signature of type.getCallSignatures()) visitGiven(signature.getReturnType(), owner)
  }
  /** What the package exports or returns. */
  const visitReturned = (type: ts.Type, name: string): void => {
    if (returned.has(type)) return
    returned.add(type)
    if (type.isUnionOrIntersection()) for (const part of type.types) visitReturned(part, name)
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visitReturned(argument, name)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      if (!isOwn(signature.declaration)) continue
      for (const parameter of signature.getParameters()) visitGiven(checker.getTypeOfSymbol(parameter), parameter.name)
      visitReturned(signature.getReturnType(), name)
    }
    for (const property of type.getProperties())
      if (isOwn(property.declarations?.[0])) visitReturned(checker.getTypeOfSymbol(property), property.name)
  }
  for (const entry of entries) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    for (const one of module ? checker.getExportsOfModule(module) : []) {
      const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
      if (symbol.flags & ts.SymbolFlags.Value) visitReturned(checker.getTypeOfSymbol(symbol), symbol.name)
    }
  }
  return [...found].sort()
}

test('every option takes undefined for "as if it were left out", also under exactOptionalPropertyTypes', () => {
  expect(entries.filter((entry) => !existsSync(entry))).toEqual([])
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
  }
  expect(propertiesWithoutUndefined(ts.createProgram(entries, options))).toEqual([])
}, 60_000)
