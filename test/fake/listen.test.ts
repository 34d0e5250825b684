import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { makeFake } from './setup.ts'

describe('fake.listen', () => {
  it('listens on loopback and a free port by default, and returns the URL', async () => {
    const fake = makeFake()
    const server = await fake.listen()
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/public-api/v1`)
    const other = await fake.listen()
    expect(other.port).not.toBe(server.port)
    expect((await fetch(`${other.url}/openapi.json`)).status).toBe(200)
  })

  it('listens on a given port, and rejects if it cannot', async () => {
    const fake = makeFake()
    const { port } = await fake.listen()
    await expect(fake.listen({ port })).rejects.toThrow('EADDRINUSE')
  })

  it('closes at once, with connections open and requests in flight', async () => {
    const fake = makeFake()
    const server = await fake.listen()
    fake.fault({ never: true })
    const idle = connect(server.port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    const hanging = fetch(`${server.url}/openapi.json`)
    hanging.catch(() => {})
    await expect.poll(() => fake.journal().length).toBe(1)
    // The request above is never answered, and the connection is never ended by its other side.
    await server.close()
    await expect(hanging).rejects.toThrow('fetch failed')
    await expect(fetch(`${server.url}/openapi.json`)).rejects.toThrow('fetch failed')
    // The fake itself goes on.
    expect((await fake.fetch(`${fake.baseUrl}/openapi.json`)).status).toBe(200)
  })
})
