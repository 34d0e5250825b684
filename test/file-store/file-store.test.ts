import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createBudget, createClient, isEtnMarketError } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createFileStore, type FileStore, FileStoreError } from 'etn-market/node'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lockFile } from '../../src/file-store/file-lock.ts'
import { onCaseFinished, testProperty } from '../support/property.ts'

/** A number that no process has: Linux and macOS end below. */
const NO_PROCESS = 2 ** 30

function makeFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'etn-market-store-'))
  onCaseFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

const makePath = () => join(makeFolder(), 'state.json')

function open(path: string): FileStore {
  const store = createFileStore(path)
  onCaseFinished(() => store.close())
  return store
}

/** The error of opening a store. */
function refusal(path: string): FileStoreError {
  try {
    open(path)
  } catch (error) {
    if (error instanceof FileStoreError && isEtnMarketError(error)) return error
    throw error
  }
  throw new Error('The store was opened.')
}

test('what was set is there after the store is opened again, until its time is over', async () => {
  const path = makePath()
  const first = open(path)
  await Promise.all(['a', 'b', '__proto__'].map((key, index) => first.set(key, String(index + 1))))
  await first.set('young', '4', 60_000)
  expect([await first.delete('b'), await first.delete('b')]).toEqual([true, false])
  await first.close()
  const second = open(path)
  const all = () => ['a', 'b', '__proto__', 'young'].map((key) => second.get(key))
  expect(all()).toEqual(['1', undefined, '3', '4'])
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  onTestFinished(() => now.mockRestore())
  expect(all()).toEqual(['1', undefined, '3', undefined])
})

test('of several that add a text at once one does, until its time is over', async () => {
  const path = makePath()
  const store = open(path)
  expect(await Promise.all([store.add('a', '1', 60_000), store.add('a', '2'), store.add('b', '3')])).toEqual([
    true,
    false,
    true,
  ])
  expect([store.get('a'), store.get('b')]).toEqual(['1', '3'])
  expect(fs.readFileSync(path, 'utf8')).toContain('"b":{"value":"3"}')
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  onTestFinished(() => now.mockRestore())
  expect([await store.add('a', '4'), store.get('a')]).toEqual([true, '4'])
})

test('a budget and a feed keep what they know in one file', async () => {
  const path = makePath()
  const fake = createFakeService()
  onTestFinished(() => fake.close())
  const spend = async () => {
    await using store = createFileStore(path)
    const budget = createBudget({ credits: 1_000, windowMs: 86_400_000, store })
    await using client = createClient({ apiKey: fake.key, fetch: fake.fetch, budget })
    await using feed = createPriceFeed(client, { store })
    await feed.price(fakeTokens.BOLT)
    await budget.load()
    return budget.spent
  }
  expect([await spend(), await spend(), fake.charged()]).toEqual([50, 50, 50])
  expect(fs.existsSync(`${path}.lock`)).toBe(false)
})

test('changes that are made while the file is written are written together', async () => {
  const path = makePath()
  const store = open(path)
  const first = store.set('n', '0')
  await Promise.resolve()
  const writes = Array.from({ length: 100 }, (_, n) => store.set('n', String(n)))
  expect(store.get('n')).toBe('99')
  // One write for the first, one for all others: they resolve together.
  await first
  await writes[0]
  expect(fs.readFileSync(path, 'utf8')).toContain('"n":{"value":"99"}')
  await Promise.all(writes)
})

test('a second store is refused with the process that has the file, under each of its names', async () => {
  const path = makePath()
  const link = join(makeFolder(), 'link.json')
  fs.symlinkSync(path, link)
  const store = open(path)
  for (const name of [path, link])
    expect(refusal(name)).toMatchObject({ code: 'store_in_use', pid: process.pid, path: name })
  expect(refusal(path).message).toContain(
    `this process (${process.pid}) has it: share one store, or close the first one.`,
  )
  await store.close()
  await open(link).close()
})

/** What a lock of this process says. */
function readOwnLock(): Record<string, unknown> {
  const path = makePath()
  const { lock } = lockFile(path)
  const text = fs.readFileSync(`${path}.lock`, 'utf8')
  lock?.release()
  return JSON.parse(text) as Record<string, unknown>
}

test('the lock of a process that has ended is taken over at once', async () => {
  const path = makePath()
  const lock = { ...readOwnLock(), pid: NO_PROCESS, started: '' }
  const begun = performance.now()
  fs.writeFileSync(`${path}.lock`, JSON.stringify(lock))
  await open(path).close()
  // The number is in use again, by a process that began later.
  if (process.platform === 'linux') {
    fs.writeFileSync(`${path}.lock`, JSON.stringify({ ...lock, pid: process.pid, started: '17' }))
    await open(path).close()
  }
  // A crash may have left the lock of a lock, too.
  fs.writeFileSync(`${path}.lock`, JSON.stringify(lock))
  fs.writeFileSync(`${path}.lock.lock`, JSON.stringify(lock))
  await open(path).close()
  expect(performance.now() - begun).toBeLessThan(2_000)
  expect(fs.readdirSync(join(path, '..'))).toEqual([])
})

const QUICK = { heartbeatMs: 20, silenceMs: 300 }
/** For a holder that lives: the first heartbeat ends the wait, however long a busy machine lets it wait. */
const PATIENT = { ...QUICK, silenceMs: 30_000 }

function takeLock(path: string): void {
  const { lock } = lockFile(path, QUICK)
  expect(lock?.isHeld()).toBe(true)
  lock?.release()
}

test.each([
  ['of another container with the same host name and number', { system: 'the-boot pid:[1]', pid: process.pid }],
  ['of another machine', { host: 'elsewhere', system: 'another-boot pid:[1]' }],
  ['of an earlier version', { system: undefined }],
])('the lock %s is left alone while it has a heartbeat, and taken over without one', async (_, changed) => {
  const path = makePath()
  const file = `${path}.lock`
  fs.writeFileSync(file, JSON.stringify({ ...readOwnLock(), ...changed }))
  // A clock that was ahead, or that stands still, says nothing.
  fs.utimesSync(file, 2_100_000_000, 2_100_000_000)
  const holder = spawn(process.execPath, [
    '-e',
    'const { utimesSync } = require("node:fs"); let n = 9e8; setInterval(() => utimesSync(process.argv[1], n, --n), 20)',
    file,
  ])
  onTestFinished(() => void holder.kill('SIGKILL'))
  await expect.poll(() => fs.statSync(file).mtimeMs).toBeLessThan(1e12)
  const attempt = lockFile(path, PATIENT)
  expect(attempt).toMatchObject({ holder: { pid: process.pid }, isOwn: false })
  holder.kill('SIGKILL')
  await new Promise((resolve) => holder.once('exit', resolve))
  takeLock(path)
  expect(fs.existsSync(file)).toBe(false)
})

test('the lock of a worker thread is left alone while it runs, and taken over when it has ended', async () => {
  const path = makePath()
  // As the lock does: with a heartbeat of its own thread.
  const code = `
    const { futimesSync, openSync, writeSync } = require('node:fs')
    const { parentPort, threadId, workerData } = require('node:worker_threads')
    const file = openSync(workerData.path + '.lock', 'wx')
    writeSync(file, JSON.stringify({ ...workerData.lock, thread: threadId }))
    let seconds = 1e9
    setInterval(() => futimesSync(file, ++seconds, seconds), 20)
    parentPort.postMessage('held')`
  const holder = new Worker(code, { eval: true, workerData: { path, lock: readOwnLock() } })
  await new Promise((resolve) => holder.once('message', resolve))
  expect(lockFile(path, PATIENT)).toMatchObject({ holder: { pid: process.pid }, isOwn: false })
  await holder.terminate()
  takeLock(path)
})

test('a lock that a crash left without a text is taken over', () => {
  const path = makePath()
  fs.writeFileSync(`${path}.lock`, '')
  takeLock(path)
})

test('a holder shows that it lives, and touches no lock that another process has put there', async () => {
  const path = makePath()
  const { lock } = lockFile(path, QUICK)
  onTestFinished(() => lock?.release())
  const changed = () => fs.statSync(`${path}.lock`, { bigint: true }).mtimeNs
  const before = changed()
  await expect.poll(changed).not.toBe(before)
  fs.rmSync(`${path}.lock`)
  fs.writeFileSync(`${path}.lock`, 'of another')
  const theirs = changed()
  await new Promise((resolve) => setTimeout(resolve, 5 * QUICK.heartbeatMs))
  expect([lock?.isHeld(), changed()]).toEqual([false, theirs])
})

test.each([
  ['nothing', ''],
  ['half of a store', '{"format":"etn-market file store 1","entries":{"a":{"val'],
  ['another format', '{"a":"1"}'],
  ['an entry that is no text', '{"format":"etn-market file store 1","entries":{"a":{"value":1}}}'],
])('a file with %s is refused, left as it is, and never taken for an empty store', (_, text) => {
  const path = makePath()
  fs.writeFileSync(path, text)
  expect(refusal(path)).toMatchObject({ code: 'store_unreadable', path })
  expect(refusal(path).message).toMatch(/Restore it from a backup, or move it away/)
  expect(fs.readFileSync(path, 'utf8')).toBe(text)
  expect(fs.existsSync(`${path}.lock`)).toBe(false)
})

test('a folder, and a file in a folder that is missing, are refused', () => {
  const folder = makeFolder()
  fs.mkdirSync(join(folder, 'sub'))
  expect(refusal(join(folder, 'sub'))).toMatchObject({ code: 'store_failed' })
  expect(refusal(join(folder, 'missing', 'state.json'))).toMatchObject({ code: 'store_failed' })
  expect(fs.readdirSync(folder)).toEqual(['sub'])
})

test('a symbolic link stays one, and the file keeps its mode', async () => {
  const folder = makeFolder()
  const link = join(makeFolder(), 'link.json')
  const target = join(folder, 'target.json')
  fs.symlinkSync(target, link)
  const store = open(link)
  await store.set('a', '1')
  fs.chmodSync(target, 0o600)
  await store.set('a', '2')
  expect([fs.lstatSync(link).isSymbolicLink(), fs.statSync(target).mode & 0o777]).toEqual([true, 0o600])
  expect(fs.readFileSync(target, 'utf8')).toContain('"value":"2"')
  expect(fs.readdirSync(folder).sort()).toEqual(['target.json', 'target.json.lock'])
})

test('a write that fails, or is of no text, rejects, leaves the store as it was, and the next one succeeds', async () => {
  const path = makePath()
  const store = open(path)
  await store.set('a', '1')
  await expect(store.set('a', 5 as unknown as string)).rejects.toMatchObject({ code: 'invalid_option' })
  // Nothing can be written where a folder has the name of the temporary file.
  fs.mkdirSync(join(`${path}.new`, 'in the way'), { recursive: true })
  const failed = store.set('a', '2')
  expect(store.get('a')).toBe('2')
  await expect(failed).rejects.toMatchObject({ name: 'FileStoreError', code: 'store_failed', path })
  expect(store.get('a')).toBe('1')
  fs.rmSync(`${path}.new`, { recursive: true })
  await store.set('b', '3')
  await store.close()
  expect(fs.readFileSync(path, 'utf8')).toMatch(/"a":\{"value":"1"\},\n"b":\{"value":"3"\}/)
})

test('a store whose lock was taken away writes nothing over what another process has written', async () => {
  const path = makePath()
  const store = open(path)
  await store.set('a', '1')
  fs.rmSync(`${path}.lock`)
  const other = open(path)
  await other.set('a', '2')
  await expect(store.set('a', '3')).rejects.toThrow('its lock was taken away')
  await store.close()
  expect(refusal(path).code).toBe('store_in_use')
  expect(fs.readFileSync(path, 'utf8')).toContain('"a":{"value":"2"}')
})

test('a closed store has written everything, and refuses later calls', async () => {
  const path = makePath()
  const store = open(path)
  const written = store.set('a', '1')
  await Promise.all([store.close(), store.close()])
  await written
  expect(() => store.get('a')).toThrow(expect.objectContaining({ code: 'store_closed' }))
  for (const late of [() => store.set('a', '2'), () => store.add('b', '2'), () => store.delete('a')])
    await expect(late()).rejects.toMatchObject({ code: 'store_closed' })
  expect(open(path).get('a')).toBe('1')
})

const key = fc.constantFrom('a', 'b', 'c')
/** As `fc.string({ unit: 'binary' })`, which takes seconds to prepare. */
const text = fc.array(fc.nat(0x10ffff)).map((points) => String.fromCodePoint(...points))
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: text }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constantFrom('wait' as const, 'reopen' as const) }),
)

testProperty(
  'whatever is set and deleted, at once or in turn, a store has what a map has, also when it is opened again',
  fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
    const path = makePath()
    const model = new Map<string, string>()
    let store = open(path)
    const pending: Promise<unknown>[] = []
    for (const one of steps) {
      if (one.kind === 'set') {
        model.set(one.key, one.value)
        pending.push(store.set(one.key, one.value))
      } else if (one.kind === 'delete') {
        model.delete(one.key)
        pending.push(store.delete(one.key))
      } else if (one.kind === 'wait') await Promise.all(pending)
      else {
        await store.close()
        store = open(path)
      }
      for (const each of ['a', 'b', 'c']) expect(store.get(each)).toBe(model.get(each))
    }
    await Promise.all(pending)
  }),
  { cases: 60 },
)

test('writes under the permission model of Node, which refuses fsync and fchmod', async () => {
  const path = makePath()
  const handle = await fs.promises.open(join(path, '..', 'other'), 'w')
  const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ERR_ACCESS_DENIED' }))
  for (const method of ['sync', 'datasync', 'chmod'] as const)
    vi.spyOn(Object.getPrototypeOf(handle), method).mockImplementation(refused)
  await handle.close()
  Object.defineProperty(process, 'permission', { value: { has: () => true }, configurable: true })
  onTestFinished(() => {
    Reflect.deleteProperty(process, 'permission')
    vi.restoreAllMocks()
  })
  const store = open(path)
  await store.set('a', '1')
  fs.chmodSync(path, 0o600)
  await store.set('a', '2')
  await store.close()
  expect(open(path).get('a')).toBe('2')
  expect(fs.statSync(path).mode & 0o777).toBe(0o600)
})
