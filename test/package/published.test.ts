import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, test } from 'vitest'
import { GUIDES } from '../../.github/site/contents.ts'
import { fileNameOf, packed, ROOT, readPacked as read, SUBPATHS } from './pack.ts'

/** The build copies it from `.github`. */
const LICENCES = 'dist/THIRD-PARTY-LICENSES.md'

describe('the tarball', () => {
  test('contains the files that are needed and no others', () => {
    // `go-to-definition.test.ts` says which sources there are.
    const beside = packed.files.filter((path) => !/^dist\/|^src\/.*\.ts$/.test(path))
    expect([...beside].sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', ...GUIDES, 'package.json'].sort())
    expect(packed.files).toContain(LICENCES)
    const built = packed.files
      .filter((path) => path.startsWith('dist/') && path !== LICENCES)
      .map((path) => path.slice(5))
    expect(built.filter((path) => !/^[\w-]+\.(js|cjs)$|^[\w/-]+\.(d\.ts|d\.cts)(\.map)?$/.test(path))).toEqual([])
    const needed = SUBPATHS.flatMap((subpath) =>
      ['js', 'cjs', 'd.ts', 'd.cts'].map((end) => `${fileNameOf(subpath)}.${end}`),
    )
    expect(needed.filter((name) => !built.includes(name))).toEqual([])
  })

  // Of it 0.3 MB are the program with everything that it contains, 0.5 MB the types, once for each module system, 0.1 MB fleets,
  // 0.03 MB streams that their visitors pay for, 0.06 MB the entries stream, candles and format, and 0.04 MB the file store and the commands run
  // and demo, 0.15 MB the guides, which people and assistants read where the package is installed. The names in CommonJS, which stack traces show, are 0.27 MB.
  // The examples of the contract, which the program and the fake carry, are 0.02 MB, and so are the entries trades and portfolio with a guide each.
  // What each parameter of a method takes, which editors show, is 0.01 MB, and so is what sentences in plain English take more, and what guides say of
  // other people's servers and workers.
  test('is at most 2.91 MB unpacked, and 1.75 MB of sources with the maps of the declarations', () => {
    const isForEditors = (path: string) => /^src\/.*\.ts$|\.map$/.test(path)
    const sizeOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + Buffer.byteLength(read(path)), 0)
    expect(sizeOf(packed.files.filter((path) => !isForEditors(path)))).toBeLessThanOrEqual(2_910_000)
    expect(sizeOf(packed.files.filter(isForEditors))).toBeLessThanOrEqual(1_750_000)
    // Maps of the code would name sources, too; the ES modules are readable without.
    const withMap = packed.files.filter((path) => read(path).includes('//# sourceMappingURL='))
    expect(withMap.filter((path) => !/\.d\.c?ts$/.test(path))).toEqual([])
  })

  test('states the licence of everything that is bundled', () => {
    const licences = read(LICENCES)
    const bundled = ['ky', 'p-retry', 'is-network-error', 'zod', '@noble/hashes', 'commander']
    expect(bundled.filter((name) => !licences.includes(name))).toEqual([])
    for (const name of bundled) {
      const file = ['LICENSE', 'license', 'LICENSE.md'].map((text) => join(ROOT, 'node_modules', name, text))
      const text = file.map((path) => readOrNothing(path)).find((content) => content !== '') ?? ''
      const holder = text.match(/^(The MIT License.*|Copyright.*|MIT License.*)$/m)?.[0] ?? 'no licence found'
      expect(licences, name).toContain(holder.trim())
    }
  })

  test('imports nothing but its dependencies', () => {
    const {
      dependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
      engines,
      sideEffects,
      license,
    } = JSON.parse(read('package.json'))
    // The fixtures and the program load other entries of this package by name.
    const own = ['etn-market']
    const allowed = [...Object.keys(dependencies), ...Object.keys(peerDependenciesMeta), ...own]
    expect(allowed.sort()).toEqual([
      '@opentelemetry/api',
      '@tanstack/query-core',
      'etn-market',
      'ky',
      'msw',
      'node-sqlite3-wasm',
      'p-retry',
      'react',
      'vitest',
      'zod',
    ])
    expect({ engines, sideEffects, license }).toEqual({
      engines: { node: '>=20.19' },
      sideEffects: false,
      license: 'MIT',
    })
    const wanted = packed.files
      .filter((path) => /\.(c?js)$/.test(path))
      .flatMap((path) =>
        [...read(path).matchAll(/(?:^|\s)(?:from|import\(|require\() ?['"]([^.'"][^'"]*)['"]/gm)].map(
          ([, name = '']) => ({
            path,
            name: name.replace(/^(@[^/]+\/[^/]+|[^@/]+)\/.*$/, '$1'),
          }),
        ),
      )
    expect(wanted.map(({ name }) => name)).toContain('msw')
    expect(wanted.filter(({ name }) => !name.startsWith('node:') && !allowed.includes(name))).toEqual([])
    // A peer that no file imports stops npm beside another version of it. Some are imported for their types only.
    const texts = packed.files.filter((path) => /\.(js|d\.ts)$/.test(path)).map(read)
    expect(allowed.filter((name) => !texts.some((text) => new RegExp(`['"]${name}[/'"]`).test(text)))).toEqual([])
    // As an entry of peerDependencies, vitest ends npm 10 on Node 20 with an internal error, also in a project without it.
    expect(Object.keys(peerDependencies)).not.toContain('vitest')
    const inCommonJs = wanted.filter(({ path }) => path.endsWith('.cjs')).map(({ name }) => name)
    expect(inCommonJs.filter((name) => !/^(msw|react|vitest|etn-market|node:.*)$/.test(name))).toEqual([])
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

  test('are the types wrong? in every kind of module resolution, node10 included', () => {
    const bin = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const judged = spawnSync(process.execPath, [bin, packed.tarball, '--format', 'json'], { encoding: 'utf8' })
    const { problems, analysis } = JSON.parse(judged.stdout) as {
      problems?: object
      analysis: { entrypoints: object; problems: unknown[] }
    }
    const subpaths = SUBPATHS.map((subpath) => subpath.replace('etn-market', '.'))
    expect(Object.keys(analysis.entrypoints)).toEqual([...subpaths, './package.json'])
    expect({ status: judged.status, problems: analysis.problems }, JSON.stringify(problems)).toEqual({
      status: 0,
      problems: [],
    })
  }, 120_000)
})

test('the types import packages only where the subpath is about them', () => {
  const users = packed.files
    .filter((path) => /\.d\.c?ts$/.test(path))
    .flatMap((path) => {
      const names = [...read(path).matchAll(/(?:from|import\() ?['"]([^.'"][^'"]*)['"]/g)].map(([, name]) => name)
      return names.map((name) => `${path.replace(/\.d\.c?ts$/, '')} ${name}`)
    })
  expect([...new Set(users)].sort()).toEqual([
    'dist/generated/schemas zod/mini',
    'dist/msw msw',
    'dist/otel @opentelemetry/api',
    'dist/react/credit-meter etn-market',
    'dist/react/use-prices etn-market/feed',
    'dist/tanstack-query @tanstack/query-core',
    'dist/tanstack-query etn-market',
    'dist/vitest etn-market',
    'dist/vitest etn-market/fake',
    'dist/vitest etn-market/vitest',
    'dist/vitest vitest',
  ])
})

test('the client uses nothing of Node', () => {
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

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
