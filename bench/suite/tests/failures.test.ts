import { ConnectionError, InsufficientCreditsError, ServerBusyError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { service } from '../chosen.ts'
import { BOLT } from '../service.ts'

const times = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('when the service is busy', () => {
  test.each(times(35))('nothing is charged, %i', async () => {
    const client = service.connect()
    service.beBusy()
    await expect(client.token.price({ address: BOLT })).rejects.toThrow(ServerBusyError)
    expect(client.credits.charged).toBe(0)
  })
})

describe('when the credits have run out', () => {
  test.each(times(35))('the call is refused, %i', async () => {
    const client = service.connect()
    service.runOut()
    await expect(client.token.get({ address: BOLT })).rejects.toThrow(InsufficientCreditsError)
    expect(client.credits.charged).toBe(0)
  })
})

describe('when an answer gets lost', () => {
  test.each(times(30))('it may have been paid for, and the next call works, %i', async () => {
    const client = service.connect()
    service.loseAnswer()
    await expect(client.token.price({ address: BOLT })).rejects.toThrow(ConnectionError)
    expect(client.budget.uncertain).toBe(50)
    await client.token.price({ address: BOLT })
    expect(client.credits.charged).toBe(50)
  })
})
