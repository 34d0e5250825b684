import { expect, test } from 'vitest'
import { sources } from '../package/source.ts'

/** The layers of src/fake from bottom to top. A file imports from its own layer and from lower ones. */
const LAYERS = [
  /^rules\//,
  /^data\//,
  /^faults\//,
  /^(options|types)\.ts$/,
  /^http\//,
  /^(service|record)\.ts$/,
  /^use-fake-service\.ts$/,
  /^index\.ts$/,
]

const files = sources.filter(({ path }) => path.startsWith('fake/'))
const layerOf = (path: string) => LAYERS.findIndex((layer) => layer.test(path.slice('fake/'.length)))
const imports = files.flatMap(({ path, imports: all }) =>
  all.filter(({ from }) => from.startsWith('fake/')).map(({ from }) => ({ path, from })),
)

test('every file of the fake is in a layer', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.filter(({ path }) => layerOf(path) < 0)).toEqual([])
})

test('no file of the fake imports a higher layer, types included', () => {
  expect(imports.filter(({ path, from }) => layerOf(from) > layerOf(path))).toEqual([])
})
