import { describe, expect, test } from 'vitest'
import { loadedAtOnceBy, loadedBy, type SourceFile, sources } from './source.ts'

const below = (...folders: string[]) =>
  sources.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
const runtime = sources.filter(({ path }) => !path.startsWith('contract/'))

/** Imports that break a rule, as `file -> imported`. */
const offending = (files: readonly SourceFile[], forbidden: (from: string, file: SourceFile) => boolean) =>
  files.flatMap((file) =>
    file.imports.filter(({ from }) => forbidden(from, file)).map(({ from }) => `${file.path} -> ${from}`),
  )

test('the rules are applied to the real files', () => {
  expect(sources.length).toBeGreaterThan(60)
  expect(offending(below('request'), (from) => from.startsWith('concurrency/')).length).toBeGreaterThan(5)
})

test('no file loads itself by way of others: types may refer to each other', () => {
  expect(sources.filter(({ path }) => loadedBy(path).has(path)).map(({ path }) => path)).toEqual([])
})

describe('layers', () => {
  /**
   * From the bottom to the top: a file imports from its own layer and from those below. A folder stands for its files,
   * except those that another layer names.
   */
  const LAYERS = [
    ['utils/'],
    // The types of the table of operations, and the rules that the generated files are made of.
    ['operations/operation.ts', 'operations/param-schemas.ts', 'operations/type-guards.ts'],
    ['generated/'],
    ['errors/'],
    // Throws the errors of the package.
    ['utils/units.ts'],
    // A step of a call that estimates need too.
    ['operations/'],
    ['concurrency/'],
    ['credits/'],
    ['transport/'],
    // The public types of a client.
    [
      'client/events.ts',
      'client/options.ts',
      'client/sweep-types.ts',
      'client/api-promise.ts',
      'generated/methods.ts',
      'fleet/',
    ],
    // What entries above need of a client.
    ['client/client-internals.ts'],
    ['log/'],
    ['request/'],
    ['sweep/'],
    ['client/client.ts'],
    ['schemas/'],
    ['file-store/'],
    ['node/'],
    ['fake/'],
    ['msw/'],
    ['redis/'],
    ['feed/'],
    // What builds on a feed.
    ['candles/'],
    ['trades/'],
    ['portfolio/'],
    ['stream/'],
    ['format/'],
    ['proxy/'],
    ['otel/'],
    ['react/'],
    ['tanstack-query/'],
    ['vitest/'],
    ['cli/'],
    ['index.ts'],
    ['contract/'],
  ]

  function layerOf(path: string): number {
    const matches = LAYERS.flatMap((names, layer) => names.map((name) => ({ name, layer })))
    const found = matches.filter(({ name }) => path === name || (name.endsWith('/') && path.startsWith(name)))
    return found.sort((a, b) => b.name.length - a.name.length)[0]?.layer ?? -1
  }

  test('every file is in one', () => {
    expect(sources.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).toEqual([])
  })

  test('no file imports from a higher one, type imports included', () => {
    const isSource = (from: string) => from.endsWith('.ts')
    expect(offending(sources, (from, { path }) => isSource(from) && layerOf(from) > layerOf(path))).toEqual([])
  })
})

test('what happens to a request is used by the client and its sweeps alone', () => {
  const outside = runtime.filter(({ path }) => !/^(client\/client\.ts$|request\/|sweep\/)/.test(path))
  expect(offending(outside, (from) => from.startsWith('request/'))).toEqual([])
})

test('credits/ and everything that it loads do no I/O', () => {
  const loaded = new Set(below('credits').flatMap(({ path }) => [...loadedBy(path)]))
  expect([...loaded].filter((from) => /^(node:|(ky|p-retry|srvx|msw)$|(request|transport)\/)/.test(from))).toEqual([])
})

describe('fake/', () => {
  test('imports nothing of the client, and of what is generated the contract alone: it has a ledger and checks of its own', () => {
    const forbidden =
      /^(request|credits|errors|operations|msw|feed|transport|contract)\/|^generated\/(?!document\.ts$)|^client\/(client|api-promise|events)\.ts$/
    expect(offending(below('fake'), (from) => forbidden.test(from))).toEqual([])
    const loaded = new Set(below('fake').flatMap(({ path }) => [...loadedBy(path)]))
    expect([...loaded].filter((from) => /^(request|credits|errors)\//.test(from))).toEqual([])
  })

  test('is imported by msw/ alone, and msw/ by no file', () => {
    const fromOutside = runtime.filter(({ path }) => !/^(fake|msw)\//.test(path))
    expect(offending(fromOutside, (from) => /^(fake|msw)\//.test(from))).toEqual([])
    expect(offending(below('fake'), (from) => from.startsWith('msw'))).toEqual([])
  })
})

describe('packages', () => {
  test.each([
    ['ky', ['transport']],
    ['p-retry', ['request']],
    ['zod', ['cli', 'generated', 'operations']],
    ['@noble/hashes', ['utils']],
    ['msw', ['msw']],
    ['yaml', ['cli', 'contract']],
  ])('%s is imported in %j alone', (name, folders) => {
    const users = sources.filter(({ imports }) =>
      imports.some(({ from }) => from === name || from.startsWith(`${name}/`)),
    )
    expect([...new Set(users.map(({ path }) => path.split('/')[0]))]).toEqual(folders)
  })

  test('zod loads with the first answer that does not match the contract, with etn-market/schemas or the program, never before', () => {
    const entries = sources.map(({ path }) => path).filter((path) => /^(\w[\w-]*\/)?index\.ts$/.test(path))
    const loadsZod = (loaded: Set<string>) => [...loaded].some((from) => /^zod\b/.test(from))
    expect(entries.length).toBeGreaterThan(10)
    expect(entries.filter((path) => loadsZod(loadedAtOnceBy(path)))).toEqual(['schemas/index.ts'])
    expect(loadsZod(loadedBy('index.ts'))).toBe(true)
  })

  test('node: modules are imported by the generator, the fake, the file store, the transport for Node and the command alone', () => {
    const users = offending(sources, (from) => from.startsWith('node:')).map((line) => line.split(' -> ')[0] ?? '')
    expect(users.filter((path) => !/^(contract|fake|file-store|node|cli)\//.test(path))).toEqual([])
  })
})

test('node/ uses the port of transports and the errors of the package, not the client, ky or fetch, and is imported by no file', () => {
  const allowed = /^(node|utils|transport|errors)\/|^node:/
  const files = below('node').filter(({ path }) => path !== 'node/index.ts')
  expect(offending(files, (from) => !allowed.test(from))).toEqual([])
  const loaded = new Set(files.flatMap(({ path }) => [...loadedBy(path)]))
  expect([...loaded].filter((from) => !allowed.test(from))).toEqual([])
  const fromOutside = sources.filter(({ path }) => !path.startsWith('node/'))
  expect(offending(fromOutside, (from) => from.startsWith('node/'))).toEqual([])
})
