import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { check } from '../scenario/check.ts'
import { execOrThrow } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { type Check, versionIn } from '../support/result.ts'
import { startService } from '../support/service.ts'

const HOME = join(MATRIX, 'generators')
const PACKAGES = join(HOME, 'node_modules')
/** hey-api and orval need Node 22.18. */
const NODE = join(MODULES, 'node24/bin/node')
const KEY = 'generated'

interface Generator {
  readonly name: string
  /** Its program, below `node_modules`. */
  readonly program: string
  /** Its arguments, for a document at an address. They are run in a folder of their own. */
  args(document: string): readonly string[]
  /** A program that asks for a batch, for candles, and for too many candles. `ONE` and `OTHER` are tokens. */
  readonly use: string
  readonly prices: string
  readonly candles: string
  readonly error: string
}

const generators: readonly Generator[] = [
  {
    name: '@hey-api/openapi-ts',
    program: '@hey-api/openapi-ts/bin/run.js',
    args: (document) => ['--input', document, '--output', 'market', '--silent'],
    use: `import { pricesBatch, tokenCandles } from './market'
import { client } from './market/client.gen'
client.setConfig({ auth: '${KEY}' })
const path = { chainId: 52014, address: ONE } as const
const batch = await pricesBatch({ path, query: { addresses: [ONE, OTHER] } })
const candles = await tokenCandles({ path, query: { limit: 3, bucket: '4h' } })
const failed = await tokenCandles({ path, query: { limit: 501 } })
// @ts-expect-error there is no such bucket
void (() => tokenCandles({ path, query: { bucket: '2h' } }))`,
    prices: 'batch.data?.data',
    candles: 'candles.data?.data',
    error: 'failed.error?.error',
  },
  {
    name: 'orval',
    program: 'orval/dist/bin/orval.mjs',
    args: (document) => ['--input', document, '--output', 'market.ts', '--client', 'fetch'],
    use: `import { pricesBatch, tokenCandles } from './market'
const { fetch } = globalThis
globalThis.fetch = (path, init) => fetch(BASE_URL + path, init)
const headers = { authorization: 'Bearer ${KEY}' }
const batch = await pricesBatch(52014, { addresses: [ONE, OTHER] }, { headers })
const candles = await tokenCandles(52014, ONE, { limit: 3, bucket: '4h' }, { headers })
const failed = await tokenCandles(52014, ONE, { limit: 501 }, { headers })
if (batch.status !== 200 || candles.status !== 200 || failed.status !== 400) throw new Error('another status')
// @ts-expect-error there is no such bucket
void (() => tokenCandles(52014, ONE, { bucket: '2h' }))`,
    prices: 'batch.data.data',
    candles: 'candles.data.data',
    error: 'failed.data.error',
  },
  {
    name: 'openapi-typescript',
    program: 'openapi-typescript/bin/cli.js',
    args: (document) => [document, '--output', 'market.ts'],
    use: `import createClient from 'openapi-fetch'
import type { paths } from './market'
const querySerializer = { array: { style: 'form', explode: false } } as const
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { authorization: 'Bearer ${KEY}' }, querySerializer })
const CANDLES = '/tokens/{chainId}/{address}/candles'
const path = { chainId: 52014, address: ONE } as const
const batch = await client.GET('/prices/{chainId}', { params: { path, query: { addresses: [ONE, OTHER] } } })
const candles = await client.GET(CANDLES, { params: { path, query: { limit: 3, bucket: '4h' } } })
const failed = await client.GET(CANDLES, { params: { path, query: { limit: 501 } } })
// @ts-expect-error there is no such bucket
void (() => client.GET(CANDLES, { params: { path, query: { bucket: '2h' } } }))`,
    prices: 'batch.data?.data',
    candles: 'candles.data?.data',
    error: 'failed.error?.error',
  },
  {
    name: 'swagger-typescript-api',
    program: 'swagger-typescript-api/dist/cli.mjs',
    args: (document) => ['generate', '--path', document, '--output', '.', '--name', 'market.ts', '--silent'],
    // This generator ignores `explode: false`, so the addresses are joined here. Without a format it does not parse the body.
    use: `import { Api, type ErrorEnvelope, type HttpResponse } from './market'
const securityWorker = () => ({ headers: { authorization: 'Bearer ${KEY}' } })
const { prices, tokens } = new Api({ securityWorker, baseApiParams: { format: 'json' } })
const batch = await prices.pricesBatch(52014, { addresses: [[ONE, OTHER].join()] })
const candles = await tokens.tokenCandles(52014, ONE, { limit: 3, bucket: '4h' })
const rejected = (response: HttpResponse<unknown, ErrorEnvelope>) => response
const failed = await tokens.tokenCandles(52014, ONE, { limit: 501 }).catch(rejected)
// @ts-expect-error there is no such bucket
void (() => tokens.tokenCandles(52014, ONE, { bucket: '2h' }))`,
    prices: 'batch.data.data',
    candles: 'candles.data.data',
    error: 'failed.error.error',
  },
]

/** What a program reads from its answers, with the types that they must have. */
const report = ({ prices, candles, error }: Generator) => `
const usd: string | null | undefined = ${prices}?.[ONE.toLowerCase()]?.usd
const close: number | undefined = ${candles}?.[0]?.close
const code: string | undefined = ${error}?.code
// @ts-expect-error a price is a text
const notText: number | undefined = ${prices}?.['']?.usd
const count = (value: object = {}) => Object.keys(value).length
console.log(JSON.stringify({ usd: Number(usd) > 0, prices: count(${prices}), close: Number(close) > 0, candles: count(${candles}), code }))
`

const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'preserve']
const LIBRARIES = ['--lib', 'es2022,dom,dom.iterable', '--typeRoots', 'none']

/** Calls for tokens that have a price: the list has no order, and not every token has one. */
async function generateAndCall(generator: Generator, project: Project): Promise<void> {
  const service = await startService(project, { keys: { [KEY]: 10_000 } })
  try {
    const { origin } = new URL(service.baseUrl)
    const headers = { authorization: `Bearer ${KEY}` }
    const read = async (path: string) => (await (await fetch(service.baseUrl + path, { headers })).json()).data
    const listed: { address: string }[] = await read('/tokens/52014?limit=50')
    const prices: object = await read(`/prices/52014?addresses=${listed.map(({ address }) => address)}`)
    const [one, other] = Object.entries(prices).flatMap(([address, price]) => (price === null ? [] : [address]))
    const constants = `const [ONE, OTHER, BASE_URL] = ['${one}', '${other}', '${service.baseUrl}'] as const\n`
    const use = project.write('use.ts', constants + generator.use + report(generator))
    project.link('openapi-fetch', relative(MODULES, join(PACKAGES, 'openapi-fetch')))
    await execOrThrow(NODE, [join(PACKAGES, generator.program), ...generator.args(`${origin}/_fake/service.json`)], {
      cwd: project.folder,
    })
    await execOrThrow(process.execPath, [join(PACKAGES, 'typescript/bin/tsc'), ...OPTIONS, ...LIBRARIES, use], {
      cwd: project.folder,
    })
    const outfile = join(project.folder, 'use.mjs')
    await build({ entryPoints: [use], outfile, bundle: true, format: 'esm', platform: 'node' })
    await service.reset()
    const reported = JSON.parse(await execOrThrow(process.execPath, [outfile], { cwd: project.folder }))
    check('answers', reported, { usd: true, prices: 2, close: true, candles: 3, code: 'invalid_limit' })
    const charges = (await service.ledger()).map(({ operation, credits }) => `${operation} ${credits}`)
    check('charges', charges, ['prices.batch 120', 'token.candles 103'])
  } finally {
    await service.close()
  }
}

/** Clients are generated from the fake's document, compiled, and call the fake. */
export const generatedClients = generators.map(
  (generator): Check => ({
    name: `generator: ${generator.name}`,
    async run(installed) {
      const version = versionIn('test/matrix/generators', PACKAGES, generator.name)
      await generateAndCall(generator, installed.project(`generator-${generator.name}`))
      return { version, detail: 'a batch, candles and an error, with their types' }
    },
  }),
)
