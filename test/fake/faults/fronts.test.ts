import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type FakeFront, type FakeFrontAnswer, fakeFronts } from '../../../src/fake/index.ts'
import { SHELLS, stage } from './shells.ts'

const fronts = Object.entries(fakeFronts) as [FakeFront, FakeFrontAnswer][]
const ofKind = {
  html: /^<!DOCTYPE html>/,
  text: /^[^<{]+$/,
  json: /^\{"message":"[^"]+"\}$/,
  empty: /^$/,
}

describe.each(SHELLS)('fronts through %s', (shell) => {
  it.each(fronts)('%s answers with what its row says, after the charge', async (front, row) => {
    const { fake, see } = await stage(shell)
    fake.fault({ front })
    const { status, headers, text } = await see()
    const seen = ['content-type', 'retry-after', 'x-credits-cost'].map((name) => headers?.get(name))
    expect([status, ...seen]).toEqual([row.status, row.type ?? null, row.retryAfter?.toString() ?? null, null])
    expect(text).toMatch(ofKind[row.body])
    expect(fake.ledger()).toMatchObject([{ credits: 25, delivered: false }])
  })

  it('takes other headers, and a part of the body', async () => {
    const { fake, see } = await stage(shell)
    fake.fault({ front: 'varnish', retryAfter: 9, headers: { via: '1.1 cache' }, truncate: 5 })
    const { headers, broken } = await see()
    expect([headers?.get('retry-after'), headers?.get('via')]).toEqual(['9', '1.1 cache'])
    expect(broken).toBeDefined()
  })
})

it('the guide lists every front with its status and type', () => {
  const lines = readFileSync('src/fake/GUIDE.md', 'utf8').split('\n')
  const rows = lines.filter((line) => line.startsWith('| `'))
  for (const [front, { status, type, body, retryAfter }] of fronts) {
    const answer = `${status}${retryAfter === undefined ? '' : `, \`Retry-After: ${retryAfter}\``}`
    const kind = body === 'html' || body === 'json' ? body.toUpperCase() : body
    const start = `| \`${front}\` | ${answer} | ${type === undefined ? 'none' : `\`${type}\``} | ${kind}`
    expect(
      rows.filter((row) => row.startsWith(start)),
      front,
    ).toHaveLength(1)
  }
})
