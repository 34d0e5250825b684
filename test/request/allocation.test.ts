import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BYTES_FLAGS, bundleClient } from '../bench/guard/bundle.ts'
import { startWorker } from '../bench/support/processes.ts'

/** What a call of `token.price()` allocates without a wire, and 15 % of room. Only lower it. */
const MAX_BYTES = 24_500
/** What is left of it while somebody has its promise: the promise and the price. */
const MAX_KEPT_BYTES = 800

test('a price allocates no more than it did, and nothing of its way is left while its promise is kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-bytes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const bundle = await bundleClient(folder)
  const worker = startWorker('guard/client.mjs', { bundle }, undefined, BYTES_FLAGS)
  onTestFinished(() => worker.stop())
  await worker.next()
  const bytesOf = async (calls: number, figure = 'bytes') => {
    worker.send({ workload: 'price', calls, figure })
    return worker.next<number>()
  }
  await bytesOf(3_000)
  const rounds = [await bytesOf(1_000), await bytesOf(1_000), await bytesOf(1_000)]
  const bytes = Math.min(...rounds)
  expect(bytes).toBeLessThan(MAX_BYTES)
  expect(bytes, 'lower the ceiling').toBeGreaterThan(MAX_BYTES * 0.75)
  const kept = [await bytesOf(1_000, 'kept'), await bytesOf(1_000, 'kept'), await bytesOf(1_000, 'kept')]
  expect(Math.min(...kept)).toBeLessThan(MAX_KEPT_BYTES)
})
