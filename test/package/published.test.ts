import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Packed, packPackage, ROOT } from './pack.ts'

let packed: Packed
beforeAll(() => {
  packed = packPackage()
}, 60_000)
afterAll(() => packed?.remove())

const read = (path: string) => readFileSync(join(packed.project, 'node_modules/etn-market', path), 'utf8')
const ENTRIES = ['index', 'fake', 'msw', 'node']

describe('the tarball', () => {
  test('holds what is needed, and nothing else', () => {
    const beside = packed.files.filter((path) => !path.startsWith('dist/'))
    expect([...beside].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES.md',
      'package.json',
    ])
    const built = packed.files.filter((path) => path.startsWith('dist/')).map((path) => path.slice(5))
    expect(built.filter((path) => !/^[\w-]+\.(js|cjs|d\.ts|d\.cts|js\.map|cjs\.map)$/.test(path))).toEqual([])
    const needed = ENTRIES.flatMap((name) =>
      ['js', 'cjs', 'd.ts', 'd.cts', 'js.map', 'cjs.map'].map((end) => `${name}.${end}`),
    )
    expect(needed.filter((name) => !built.includes(name))).toEqual([])
  })

  test('names the licence of everything that is bundled', () => {
    const licences = read('THIRD-PARTY-LICENSES.md')
    const bundled = ['zod', '@noble/hashes']
    expect(bundled.filter((name) => !licences.includes(name))).toEqual([])
    for (const name of bundled) {
      const file = ['LICENSE', 'license', 'LICENSE.md'].map((text) => join(ROOT, 'node_modules', name, text))
      const text = file.map((path) => readOrNothing(path)).find((content) => content !== '') ?? ''
      const holder = text.match(/^(The MIT License.*|Copyright.*|MIT License.*)$/m)?.[0] ?? 'no licence found'
      expect(licences, name).toContain(holder.trim())
    }
  })

  test('names nobody but its own dependencies', () => {
    const { dependencies = {}, peerDependencies = {}, engines, sideEffects, license } = JSON.parse(read('package.json'))
    expect([Object.keys(dependencies), Object.keys(peerDependencies)]).toEqual([['srvx'], ['msw']])
    expect({ engines, sideEffects, license }).toEqual({
      engines: { node: '>=20.19' },
      sideEffects: false,
      license: 'MIT',
    })
    const wanted = packed.files
      .filter((path) => /\.(c?js)$/.test(path))
      .flatMap((path) => [...read(path).matchAll(/(?:^|\s)(?:from|import\(|require\() ?['"]([^.'"][^'"]*)['"]/gm)])
      .map(([, name]) => name)
    expect(wanted).toContain('msw')
    expect(wanted.filter((name) => !/^(msw|srvx(\/\w+)?|node:\w+)$/.test(name ?? ''))).toEqual([])
  })
})

describe('independent judges', () => {
  test('publint', async () => {
    const buffer = readFileSync(packed.tarball)
    const tarball = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>, { color: false }))).toEqual(
      [],
    )
  })

  // The profile leaves out the resolution of Node 10, which knows no "exports"; the package asks for Node 20.19.
  test('are the types wrong?', () => {
    const bin = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const judged = spawnSync(process.execPath, [bin, packed.tarball, '--format', 'json', '--profile', 'node16'], {
      encoding: 'utf8',
    })
    const { problems, analysis } = JSON.parse(judged.stdout) as {
      problems?: object
      analysis: { entrypoints: object; problems: { resolutionKind?: string }[] }
    }
    expect(Object.keys(analysis.entrypoints)).toEqual(['.', './fake', './feed', './msw', './node', './package.json'])
    const real = analysis.problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')
    expect({ status: judged.status, real }, JSON.stringify(problems)).toEqual({ status: 0, real: [] })
  })
})

describe('the types', () => {
  const declarations = () => packed.files.filter((path) => /\.d\.c?ts$/.test(path))

  test.each(['zod', '@noble/hashes'])('name nothing of %s', (name) => {
    const lines = declarations().flatMap((path) =>
      read(path)
        .split('\n')
        .map((line) => `${path}: ${line}`),
    )
    expect(lines.length).toBeGreaterThan(1000)
    expect(lines.filter((line) => new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`, 'i').test(line))).toEqual([])
  })

  test('take nothing from elsewhere but msw, in its own subpath', () => {
    const users = declarations().flatMap((path) => {
      const names = [...read(path).matchAll(/(?:from|import\() ?['"]([^.'"][^'"]*)['"]/g)].map(([, name]) => name)
      return names.map((name) => `${path} ${name}`)
    })
    expect([...new Set(users)].sort()).toEqual(['dist/msw.d.cts msw', 'dist/msw.d.ts msw'])
  })
})

test('the client takes nothing of Node', () => {
  const seen = new Set<string>()
  const load = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, next] of read(path).matchAll(/(?:from|import\(|import) ?['"]\.\/([^'"]+)['"]/g)) load(`dist/${next}`)
  }
  load('dist/index.js')
  expect(seen.size).toBeGreaterThan(1)
  expect([...seen].filter((path) => /['"]node:|\brequire\(|\bBuffer\b|__dirname/.test(read(path)))).toEqual([])
})

test('source maps lead to the sources', () => {
  for (const path of packed.files.filter((name) => name.endsWith('.map'))) {
    const { sources, sourcesContent } = JSON.parse(read(path)) as { sources: string[]; sourcesContent?: string[] }
    expect(sourcesContent, path).toHaveLength(sources.length)
    expect(
      sources.filter((source) => /^\/|^file:|^[A-Z]:/.test(source)),
      path,
    ).toEqual([])
  }
})

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
