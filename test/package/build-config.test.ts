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
