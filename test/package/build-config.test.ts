import { readFileSync } from 'node:fs'
import type { Options } from 'tsup'
import { expect, test } from 'vitest'
import config from '../../tsup.config.ts'

const optionsOf = async (flags: Options) => {
  const made = typeof config === 'function' ? await config(flags) : config
  return Array.isArray(made) ? made : [made]
}
/** What each build writes, as `format entry`. */
const writtenBy = (options: readonly Options[]) =>
  options.flatMap(({ format = [], entry = {} }) =>
    [format].flat().flatMap((each) => Object.keys(entry).map((name) => `${String(each)} ${name}`)),
  )

test('with --no-dts no build writes the files of another', async () => {
  const written = writtenBy(await optionsOf({ dts: false }))
  expect(written.filter((file, index) => written.indexOf(file) !== index)).toEqual([])
  expect(written).toContain('cjs index')
})

test('every entry of the package is built in both formats, with declarations', async () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object }
  const names = Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => (path === '.' ? 'index' : path.slice(2)))
  const options = await optionsOf({})
  const isDeclaration = ({ dts }: Options) => dts !== undefined
  for (const builds of [options.filter(isDeclaration), options.filter((each) => !isDeclaration(each))]) {
    const written = writtenBy(builds)
    expect(names.flatMap((name) => [`esm ${name}`, `cjs ${name}`]).filter((file) => !written.includes(file))).toEqual(
      [],
    )
  }
})
