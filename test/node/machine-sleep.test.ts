import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../support/child.ts'

const SLEEPER = fileURLToPath(new URL('./sleeper.mjs', import.meta.url))
const HOUR = 3_600_000
const [library] = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .filter(existsSync)
/** A mount namespace of its own, in which another file is /proc/uptime. */
const hasNamespace = spawnSync('unshare', ['-m', 'mount', '--bind', '/dev/null', '/proc/uptime']).status === 0

/** Runs the built package in a process whose machine sleeps for 25 hours. */
async function sleep(isCertain: boolean): Promise<Record<string, unknown>> {
  if (library === undefined) throw new Error('libfaketime is not installed.')
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-sleep-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [time, uptime] = ['time', 'uptime'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(time, '+0')
  writeFileSync(uptime, '5000.00 0.00\n')
  const env = {
    ...process.env,
    FAKETIME_TIMESTAMP_FILE: time,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    PRELOAD: library,
    SLEEPER: isCertain ? `${SLEEPER} --wait` : SLEEPER,
    ...(isCertain && { SLEEPER_UPTIME_FILE: uptime }),
  }
  const start = 'LD_PRELOAD="$PRELOAD" exec node $SLEEPER'
  const { stdout, stderr } = isCertain
    ? await run('unshare', ['-m', 'sh', '-c', `mount --bind "$SLEEPER_UPTIME_FILE" /proc/uptime && ${start}`], { env })
    : await run('sh', ['-c', start], { env })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe('the built package on a machine that slept for 25 hours', () => {
  test('of which the wall clock alone knows: no old price is young, a stored day is one of today, and what it had counted counts', async () => {
    const { stale, resetsInMs, stored, freshAgeMs } = await sleep(false)
    expect({ stale, stored }).toEqual({ stale: true, stored: 0 })
    expect(resetsInMs).toBeGreaterThan(0)
    expect(resetsInMs).toBeLessThanOrEqual(24 * HOUR)
    expect(freshAgeMs).toBeLessThan(HOUR)
  })

  test.skipIf(!hasNamespace)(
    'of which the boot clock knows: windows are over, and a call whose deadline has passed is not sent',
    async () => {
      const found = await sleep(true)
      expect(found).toMatchObject({
        stale: true,
        stored: 100,
        memory: 100,
        code: 'deadline_exceeded',
        attempts: 0,
        sent: 0,
      })
    },
  )
})
