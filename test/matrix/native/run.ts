import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { bundleScenario, type Runtime } from '../runtimes/runtime.ts'
import { check } from '../scenario/check.ts'
import { execOrThrow } from '../support/exec.ts'
import { MODULES, type Project, ROOT } from '../support/project.ts'
import type { Check } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { NATIVE, versionOfNative } from './packages.ts'
import { type NativeReport, nativeKey } from './report.ts'

const HERMES = join(NATIVE, 'node_modules/hermes-compiler/hermesc/linux64-bin/hermesc')

const bundles = new Map<string, Promise<string>>()

/** The bundle of the app, which is built once for each project. */
function bundleOf(project: Project): Promise<string> {
  const bundle = bundles.get(project.folder) ?? build(project)
  bundles.set(project.folder, bundle)
  return bundle
}

async function build(project: Project): Promise<string> {
  versionOfNative('metro')
  const copy = (folder: string, name: string) => project.write(name, readFileSync(join(folder, name), 'utf8'))
  for (const name of ['app.js', 'react-native.js', 'expo.js']) copy(NATIVE, name)
  copy(join(ROOT, 'examples/recipes/expo'), 'wallet.tsx')
  const { exports } = JSON.parse(project.read('node_modules/etn-market/package.json')) as { exports: object }
  // etn-market/node is for Node alone.
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json' && entry !== './node')
  const names = entries.map((entry) => `etn-market${entry.slice(1)}`)
  project.write('imported.js', names.map((name) => `import '${name}'`).join('\n'))
  project.write('required.js', names.map((name) => `require('${name}')`).join('\n'))
  await bundleScenario(project, 'native', 'native-scenario.js')
  const bundle = join(project.folder, 'app.bundle.js')
  const args = [join(NATIVE, 'build.mjs'), project.folder, 'app.js', bundle]
  await execOrThrow(join(MODULES, 'node24/bin/node'), args, { cwd: project.folder, limitMs: 300_000 })
  return bundle
}

type Phone = 'React Native' | 'Expo'

const PACKAGES = { 'React Native': 'react-native', Expo: 'expo' } as const
const versionOfPhone = (phone: Phone) => versionOfNative(PACKAGES[phone])

/** Runs the app in a bare VM with what a phone has. */
async function runApp<Report>(project: Project, phone: Phone, what: 'scenario' | 'app', baseUrl: string) {
  const args = [join(NATIVE, 'vm.mjs'), await bundleOf(project), JSON.stringify([phone, what, baseUrl])]
  const output = await execOrThrow(process.execPath, args, { cwd: project.folder, limitMs: 60_000 })
  const report = JSON.parse(output) as Report & { errors: string[] }
  check('errors on the screen', report.errors, [])
  return report
}

/** The scenario on React Native and Expo. */
export const phones = (['React Native', 'Expo'] as const).map(
  (phone): Runtime => ({
    name: phone,
    version: async () => versionOfPhone(phone),
    run: async (project, baseUrl) => ({ report: await runApp(project, phone, 'scenario', baseUrl) }),
  }),
)

const EVENT = { address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1', usd: '1', etn: null, ageMs: 0 }

/** A proxy with a stream of one price, in front of the fake service. Counts how many streams were opened. */
async function startProxy(serviceUrl: string) {
  let streams = 0
  const server = createServer(async ({ url = '', headers }, response) => {
    if (url.includes('/stream?')) {
      streams++
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: settings\ndata: {"everyMs":60000}\n\nevent: price\ndata: ${JSON.stringify(EVENT)}\n\n`)
      return
    }
    const { authorization = '' } = headers
    const answer = await fetch(serviceUrl + url.slice('/api/market'.length), { headers: { authorization } })
    response.writeHead(answer.status, { 'x-credits-cost': answer.headers.get('x-credits-cost') ?? '' })
    response.end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/market`,
    streams: () => streams,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const streamsOf = (phone: Phone, expected: NativeReport & { streams: number }): Check => ({
  name: `${phone}, stream, feed and fake`,
  async run(installed) {
    const version = versionOfPhone(phone)
    const project = installed.project('runtimes')
    const service = await startService(project, { keys: { [nativeKey]: 1_000_000 } })
    const proxy = await startProxy(service.baseUrl)
    try {
      const { stream, feed, fake } = await runApp<NativeReport>(project, phone, 'app', proxy.url)
      check('the app', { stream, feed, fake, streams: proxy.streams() }, expected)
      return { version, detail: `stream: ${stream}; feed: ${feed}` }
    } finally {
      proxy.close()
      await service.close()
    }
  },
})

const FAKE = ['price', 'ConnectionError', 'TimeoutError']

/** Compiles the wallet with the types of React Native and Expo, whose globals are not those of Node. */
async function compileWallet(project: Project): Promise<void> {
  const paths = {
    'react-native': [join(NATIVE, 'node_modules/react-native/types_generated/index.d.ts')],
    'expo/fetch': [join(NATIVE, 'node_modules/expo/fetch')],
    react: [join(MODULES, '@types/react')],
    'react/jsx-runtime': [join(MODULES, '@types/react/jsx-runtime')],
  }
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: 'react-jsx',
    module: 'preserve',
    types: [],
    paths,
  }
  const config = { compilerOptions: { ...options, target: 'es2022' }, files: ['wallet.tsx'] }
  const path = project.write('tsconfig.wallet.json', JSON.stringify(config))
  await execOrThrow(process.execPath, [join(MODULES, 'typescript-7/bin/tsc'), '--project', path])
}

const metroAndHermes: Check = {
  name: 'Metro and Hermes',
  async run(installed) {
    const project = installed.project('runtimes')
    const bundle = await bundleOf(project)
    await compileWallet(project)
    const bytecode = `${bundle}.hbc`
    await execOrThrow(HERMES, ['-emit-binary', '-O', '-w', '-out', bytecode, bundle])
    const kB = Math.round(statSync(bytecode).size / 1_000)
    return { version: versionOfNative('metro'), detail: `every entry, and a wallet in Expo: ${kB} kB of bytecode` }
  },
}

export const apps: readonly Check[] = [
  streamsOf('React Native', {
    stream: 'no_streaming_fetch',
    feed: 'bought, no_streaming_fetch',
    fake: FAKE,
    streams: 0,
  }),
  streamsOf('Expo', { stream: 'price', feed: 'streamed', fake: FAKE, streams: 2 }),
  metroAndHermes,
]
