import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generate, readSources } from '../../src/contract/generator/generate.ts'

const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { contract, readme } = readSources()
const files = generate(contract, readme)

describe('the generated files', () => {
  test('are exactly the files of src/generated, and the README', () => {
    const held = readdirSync(new URL('../../src/generated/', import.meta.url)).map((name) => `src/generated/${name}`)
    expect([...files.keys()].sort()).toEqual([...held, 'README.md'].sort())
  })

  test.each([...files])('%s: the committed file is up to date', (path, text) => {
    expect(text === committed(path), `${path} is out of date: run \`npm run generate\``).toBe(true)
  })

  test('are byte for byte the same in a second run, which reads the README of the first', () => {
    const again = generate(contract, files.get('README.md') ?? '')
    expect([...again]).toEqual([...files])
  })

  test.each([...files.keys()].filter((path) => path.startsWith('src/')))(
    '%s: the first line says that it is generated',
    (path) => {
      expect(committed(path).split('\n', 1)[0]).toBe(
        '// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.',
      )
    },
  )

  test('change with the cost of an operation', () => {
    const withCost = structuredClone(contract) as {
      paths: { '/prices/etn': { get: { 'x-credits': { base: number } } } }
    }
    withCost.paths['/prices/etn'].get['x-credits'].base = 26
    const changed = generate(withCost, readme)
    const different = [...changed].filter(([path, text]) => text !== files.get(path)).map(([path]) => path)
    expect(different).toEqual([
      'src/generated/operations.ts',
      'src/generated/methods.ts',
      'src/generated/document.ts',
      'README.md',
    ])
  })

  test('keep the text around the markers of the README', () => {
    const around = generate(contract, 'before\n<!-- operations:start -->OUTDATED<!-- operations:end -->\nafter').get(
      'README.md',
    )
    expect(around).toMatch(/^before\n<!-- operations:start -->\n\| Operation .*\|\n<!-- operations:end -->\nafter$/s)
    expect(around).not.toContain('OUTDATED')
  })

  test.each(['no markers', '<!-- operations:end --><!-- operations:start -->'])(
    'are not written for a README with %s',
    (text) => {
      expect(() => generate(contract, text)).toThrow(/README\.md: the markers .* are missing/)
    },
  )
})
