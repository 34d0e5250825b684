import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { follow } from '../../support/child.ts'
import { check, wait } from '../scenario/check.ts'
import { cleanEnv, exec } from '../support/exec.ts'
import { MODULES, type Project } from '../support/project.ts'
import { type Check, type Found, NotInstalledError } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const COUNT = 'SELECT count(*) AS count FROM candles'
const CANDLES = 5
/** Each scenario has a key, so that what it was charged is known. */
const KEYS = { waits: 'esk_test_waits', refused: 'esk_test_refused', killed: 'esk_test_killed' }

const nodeOf = (name: string) => join(MODULES, name, 'bin/node')

/** Reads in a transaction, which it ends after so many milliseconds. */
const READER = `
const [, , kind, path, ms] = process.argv
const { default: wasm } = kind === 'wasm' ? await import('node-sqlite3-wasm') : {}
const database = wasm ? new wasm.Database(path) : new (await import('node:sqlite')).DatabaseSync(path)
database.exec('BEGIN')
const [{ count }] = wasm ? database.all('${COUNT}') : database.prepare('${COUNT}').all()
process.stdout.write(String(count))
await new Promise((resolve) => setTimeout(resolve, Number(ms)))
database.exec('COMMIT')
database.close()
`

/** Programs that read a database: how many candles it has, and when they have let it go. */
const READERS: Readonly<Record<string, (project: Project, path: string, ms: number) => Promise<Reading>>> = {
  sqlite3: (project, path, ms) => {
    const script = project.write(`reader-${ms}.sql`, `BEGIN;\n${COUNT};\n.shell sleep ${ms / 1_000}\nCOMMIT;\n`)
    return read('sqlite3', [path, `.read ${script}`])
  },
  'node:sqlite': (project, path, ms) => readByNode(project, 'node24', ['node', path, String(ms)]),
  'node-sqlite3-wasm': (project, path, ms) => readByNode(project, 'node20', ['wasm', path, String(ms)]),
}

interface Reading {
  readonly count: number
  readonly ended: Promise<unknown>
}

async function read(command: string, args: readonly string[]): Promise<Reading> {
  const child = follow(spawn(command, args, { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] }))
  const [count] = await child.prints(/^\d+/)
  return { count: Number(count), ended: child.ended() }
}

function readByNode(project: Project, node: string, args: readonly string[]): Promise<Reading> {
  const script = project.write('reader.mjs', READER)
  return read(nodeOf(node), ['--disable-warning=ExperimentalWarning', script, ...args].slice(node === 'node20' ? 1 : 0))
}

class Writer {
  readonly #node: string
  readonly #project: Project
  readonly #service: Service

  constructor(node: string, project: Project, service: Service) {
    this.#node = node
    this.#project = project
    this.#service = service
  }

  #command(file: string, key: string) {
    const program = join(this.#project.folder, 'node_modules/etn-market/dist/cli.js')
    const env = { ETN_MARKET_API_KEY: key, ETN_MARKET_BASE_URL: this.#service.baseUrl }
    const args = [program, 'candles', BOLT, '--sync', file, '--limit', String(CANDLES)]
    return { args, cwd: this.#project.folder, env }
  }

  sync(file: string, key: string) {
    const { args, ...options } = this.#command(file, key)
    return exec(this.#node, args, options)
  }

  /** Kills the program when its request has arrived. */
  async kill(file: string, key: string): Promise<void> {
    const { args, cwd, env } = this.#command(file, key)
    const child = spawn(this.#node, args, { cwd, env: { ...cleanEnv(), ...env }, stdio: 'ignore' })
    const ended = once(child, 'close')
    const before = (await this.#service.journal()).length
    while ((await this.#service.journal()).length === before) await wait(20)
    child.kill('SIGKILL')
    await ended
  }

  async charged(key: string): Promise<number> {
    const charges = await this.#service.ledger()
    return charges.filter((charge) => charge.key === key).reduce((sum, { credits }) => sum + credits, 0)
  }
}

/** `etn-market candles --sync bolt.sqlite` beside programs that read the file, and after a kill. */
async function tryWriter(node: string, project: Project): Promise<Found> {
  if ((await exec('sqlite3', ['--version']).catch(() => undefined)) === undefined)
    throw new NotInstalledError('not installed: apt-get install sqlite3')
  project.link('node-sqlite3-wasm')
  const keys = Object.fromEntries(Object.values(KEYS).map((key) => [key, 1_000_000]))
  const service = await startService(project, { keys })
  const writer = new Writer(nodeOf(node), project, service)
  const pathOf = (name: string) => join(project.folder, name)
  try {
    const { code, stderr } = await writer.sync('waits.sqlite', KEYS.waits)
    if (code !== 0) throw new Error(stderr)
    for (const name of ['refused', 'killed']) copyFileSync(pathOf('waits.sqlite'), pathOf(`${name}.sqlite`))

    const waits = async () => {
      for (const [name, reader] of Object.entries(READERS)) {
        const { count, ended } = await reader(project, pathOf('waits.sqlite'), 1_000)
        check(`candles for ${name}`, count >= CANDLES, true)
        const { code, stderr } = await writer.sync('waits.sqlite', KEYS.waits)
        check(`a sync beside ${name}: ${stderr}`, code, 0)
        await ended
      }
    }
    const refused = async () => {
      const { ended } = await (READERS['node-sqlite3-wasm'] as (typeof READERS)[string])(
        project,
        pathOf('refused.sqlite'),
        9_000,
      )
      const { code, stderr } = await writer.sync('refused.sqlite', KEYS.refused)
      check(
        'a sync while somebody reads for long',
        [code, /database is locked.*Nothing was sent/.test(stderr)],
        [1, true],
      )
      check('what it was charged', await writer.charged(KEYS.refused), 0)
      await ended
    }
    const killed = async () => {
      await service.reset([{ operation: 'token.candles', key: KEYS.killed, delayMs: 30_000 }])
      await writer.kill('killed.sqlite', KEYS.killed)
      for (const [name, reader] of Object.entries(READERS)) {
        const { count, ended } = await reader(project, pathOf('killed.sqlite'), 0)
        check(`candles for ${name} after a kill`, count, CANDLES)
        await ended
      }
      const { code, stderr } = await writer.sync('killed.sqlite', KEYS.killed)
      check(`a sync after a kill: ${stderr}`, code, 0)
    }
    // The last one changes the service.
    await Promise.all([waits(), refused()])
    await killed()
    const files = readdirSync(project.folder).filter((name) => name.includes('.sqlite'))
    check('files', files.sort(), ['killed.sqlite', 'refused.sqlite', 'waits.sqlite'])
    return { version: basename(node), detail: Object.keys(READERS).join(', ') }
  } finally {
    await service.close()
  }
}

export const sqlite: readonly Check[] = [
  ['node20', 'node-sqlite3-wasm'],
  ['node24', 'node:sqlite'],
].map(([node = '', name = '']) => ({
  name: `candles --sync to SQLite by ${name}`,
  run: (installed) => tryWriter(node, installed.project(`sqlite-${node}`)),
}))
