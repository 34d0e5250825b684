/** Answers of the service that were recorded once are played without a network and without credits. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { checkOnce, recordTape, TAPE } from './record.ts'

/** When the tape was recorded. */
const RECORDED_AT = Date.UTC(2026, 10, 21, 12)

function play(tape: string) {
  const fake = createFakeService({ tape: JSON.parse(readFileSync(tape, 'utf8')), clock: { now: () => RECORDED_AT } })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, retry: false })
  onTestFinished(() => client.close())
  return { fake, client }
}

test('values the portfolio at the recorded price', async () => {
  const { fake, client } = play(TAPE)
  const { value, fresh, notes } = await checkOnce(client, fake.now)
  expect([value, fresh, notes]).toMatchInlineSnapshot(`
    [
      50.39484324315278,
      true,
      [
        "0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1: locks that end within a month: 1",
      ],
    ]
  `)
  fake.expectCredits({ 'prices.batch': 110, 'locks.get': 2_000 })
})

test('rejects a call that was not recorded', async () => {
  const { fake, client } = play(TAPE)
  await expect(client.nft.stats()).rejects.toMatchObject({ status: 501, code: 'no_recording' })
  fake.expectCredits(0)
})

test('the tape can be recorded again, from another service too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-tape-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const service = createFakeService({ clock: { now: () => RECORDED_AT } }) // stands in for the real one
  const real = createClient({ apiKey: service.key, fetch: service.fetch })
  onTestFinished(() => real.close())
  const to = join(folder, 'tape.json')
  await recordTape(real, to)
  service.expectCredits({ 'prices.batch': 110, 'locks.get': 2_000 })
  const { fake, client } = play(to)
  expect(await checkOnce(client, fake.now)).toEqual(await checkOnce(real, service.now))
})
