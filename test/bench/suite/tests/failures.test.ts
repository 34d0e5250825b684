import { ConnectionError, InsufficientCreditsError, ServerBusyError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { service } from '../selected-service.ts'
import { BOLT, times } from '../service.ts'

describe('when the service is busy', () => {
  test.each(times(35))('nothing is charged, %i', async () => {
    const client = service.connect()
    service.failBusy()
    await expect(client.token.price({ address: BOLT })).rejects.toThrow(ServerBusyError)
    expect(client.credits.charged).toBe(0)
  })
})

describe('when the key has too few credits', () => {
  test.each(times(35))('the call rejects, %i', async () => {
    const client = service.connect()
    service.exhaustCredits()
    await expect(client.token.get({ address: BOLT })).rejects.toThrow(InsufficientCreditsError)
    expect(client.credits.charged).toBe(0)
  })
})

describe('when a response is lost', () => {
  test.each(times(30))('its credits are uncertain and the next call succeeds, %i', async () => {
    const client = service.connect()
    service.loseResponse()
    await expect(client.token.price({ address: BOLT })).rejects.toThrow(ConnectionError)
    expect(client.budget.uncertain).toBe(50)
    await client.token.price({ address: BOLT })
    expect(client.credits.charged).toBe(50)
  })
})
