import { describe, expect, test } from 'vitest'
import { loadedBy, type SourceFile, sources } from './source.ts'

const below = (...folders: string[]) =>
  sources.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
const runtime = sources.filter(({ path }) => !/^(contract|cli)\//.test(path))

/** Imports that break a rule, as `who -> whom`. */
const offending = (files: readonly SourceFile[], forbidden: (from: string, file: SourceFile) => boolean) =>
  files.flatMap((file) =>
    file.imports.filter(({ from }) => forbidden(from, file)).map(({ from }) => `${file.path} -> ${from}`),
  )

test('the rules look at the real files', () => {
  expect(sources.length).toBeGreaterThan(60)
  expect(sources.find(({ path }) => path === 'request/send.ts')?.imports.length).toBeGreaterThan(10)
  expect(offending(below('request'), (from) => from === 'gate.ts')).toEqual(['request/lane.ts -> gate.ts'])
})

describe('the steps of a request', () => {
  /** What all steps speak in: types, settings, and the tally of attempts. */
  const VOCABULARY = ['request/types.ts', 'request/settings.ts', 'request/tally.ts']
  /** Who knows the order in which the steps run. */
  const ORDER = ['request/call.ts', 'request/send.ts']
  const found = offending(
    below('request').filter(({ path }) => !ORDER.includes(path)),
    (from) => from.startsWith('request/') && !VOCABULARY.includes(from),
  )

  test('do not know each other; only call.ts and send.ts know the order', () => {
    expect(found).toEqual([])
  })

  test('are asked for by the client and the estimator, and by nobody else', () => {
    const outside = runtime.filter(({ path }) => !path.startsWith('request/'))
    const askers = new Set(offending(outside, (from) => from.startsWith('request/')).map((line) => line.split(' ')[0]))
    expect([...askers].sort()).toEqual(['client.ts', 'estimate.ts'])
  })
})

describe('credits/', () => {
  test.each(below('credits').map(({ path }) => path))('%s does no I/O, nor does anything that it loads', (path) => {
    const loaded = [...loadedBy(path)]
    expect(loaded.filter((from) => /^(node:|srvx$|msw$)/.test(from))).toEqual([])
    expect(loaded.filter((from) => /^request\/(call|send|transport|retry|cache)\.ts$/.test(from))).toEqual([])
  })
})

describe('fake/', () => {
  test('imports nothing from request/, credits/ or the client: it keeps its own ledger', () => {
    const forbidden =
      /^(request|credits|errors|msw|feed|cli|contract)\/|^(client|estimate|key|method|units|events)\.ts$/
    expect(offending(below('fake'), (from) => forbidden.test(from))).toEqual([])
    const loaded = new Set(below('fake').flatMap(({ path }) => [...loadedBy(path)]))
    expect([...loaded].filter((from) => /^(request|credits)\//.test(from))).toEqual([])
  })

  test('checks with the contract itself, not with what the client checks with', () => {
    expect(
      offending(below('fake'), (from) => /^generated\/(schemas|guards)\.ts$|^(guard|rule)\.ts$/.test(from)),
    ).toEqual([])
  })

  test('is imported by msw/ alone, and msw/ by nobody', () => {
    const fromOutside = runtime.filter(({ path }) => !/^(fake|msw)\//.test(path))
    expect(offending(fromOutside, (from) => /^(fake|msw)\//.test(from))).toEqual([])
    expect(offending(below('fake'), (from) => from.startsWith('msw'))).toEqual([])
  })
})

test('nothing in the runtime imports contract/ or cli/', () => {
  expect(offending(runtime, (from) => /^(contract|cli)\//.test(from))).toEqual([])
})

test.each([
  ['@noble/hashes', ['address.ts']],
  ['zod', ['generated/schemas.ts']],
  ['msw', ['msw/index.ts']],
  ['yaml', ['contract/model.ts']],
])('%s is imported by %j alone', (name, files) => {
  const users = offending(sources, (from) => from === name || from.startsWith(`${name}/`))
  expect(users.map((line) => line.split(' ')[0])).toEqual(files)
})

test('the checks of answers that need zod load when they are asked for, never before', () => {
  const users = sources.flatMap(({ path, imports }) =>
    imports.filter(({ from }) => from === 'generated/schemas.ts').map(({ lazy }) => ({ path, lazy })),
  )
  expect(users).toEqual([{ path: 'request/validate.ts', lazy: true }])
})

describe('node/', () => {
  test('imports nothing of the client but types and what it shares with all', () => {
    expect(offending(below('node'), (from) => !/^(node\/|node:|options\.ts$|dispose\.ts$)/.test(from))).toEqual([])
    const loaded = new Set(below('node').flatMap(({ path }) => [...loadedBy(path)]))
    expect([...loaded].filter((from) => !/^(node\/|dispose\.ts$)/.test(from))).toEqual([])
  })

  test('is imported by nobody', () => {
    const fromOutside = sources.filter(({ path }) => !path.startsWith('node/'))
    expect(offending(fromOutside, (from) => from.startsWith('node/'))).toEqual([])
  })
})

test('Node is imported by the generator, the fake and the transport that is for Node alone', () => {
  const users = offending(sources, (from) => from.startsWith('node:')).map((line) => line.split(' -> ')[0] ?? '')
  expect(users.filter((path) => !/^(contract|fake|cli|node)\//.test(path))).toEqual([])
})

test('no file is loaded by way of itself', () => {
  expect(sources.filter(({ path }) => loadedBy(path).has(path)).map(({ path }) => path)).toEqual([])
})
