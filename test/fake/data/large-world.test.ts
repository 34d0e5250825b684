import { describe, expect, it } from 'vitest'
import { generatedTokens } from '../../../src/fake/data/tokens.ts'
import { examplePaths, makeFake, WETN } from '../setup.ts'

describe('a world of 10,000 tokens', () => {
  it('answers every operation, in answers that a client accepts', async () => {
    const fake = makeFake({ world: { tokenCount: 10_000 } })
    const headers = { authorization: `Bearer ${fake.key}` }
    const paths = { ...(await examplePaths(fake)), 'all locks': `/tokens/52014/${WETN}/liquidity-locks` }
    for (const [name, path] of Object.entries(paths)) {
      const response = await fake.fetch(fake.baseUrl + path, { headers })
      expect(response.status, name).toBe(200)
      expect((await response.text()).length, name).toBeLessThan(4e6)
    }
  })

  it('gives each token a symbol of its own', () => {
    const symbols = generatedTokens(7, 10_000).map(({ symbol }) => symbol)
    expect(new Set(symbols).size).toBe(10_000)
    expect(symbols.every((symbol) => /^[A-Z]{4,8}$/.test(symbol))).toBe(true)
  })
})
