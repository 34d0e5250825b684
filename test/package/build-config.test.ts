import type { Options } from 'tsup'
import { expect, test } from 'vitest'
import config from '../../tsup.config.ts'

/** What each build writes, as `format entry`. */
const writtenBy = (options: readonly Options[]) =>
  options.flatMap(({ format = [], entry = {} }) =>
    [format].flat().flatMap((each) => Object.keys(entry).map((name) => `${String(each)} ${name}`)),
  )

test('no build writes the files of another', () => {
  const written = writtenBy([config].flat() as Options[])
  expect(written.filter((file, index) => written.indexOf(file) !== index)).toEqual([])
  expect(written).toContain('cjs index')
})
