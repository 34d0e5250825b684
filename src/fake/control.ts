import type { ServerRequest } from 'srvx'
import type { FaultOptions } from './fault-options.ts'
import { checkNames, show } from './input.ts'
import type { KeyOptions } from './options.ts'
import type { FakeService } from './types.ts'

type Body = Record<string, unknown>
type Command = (body: Body, id: string | undefined) => unknown

/** What can be done under `/_fake`, for suites in any language. Only programs on this machine may use it, and no web pages. */
export function createControl(fake: FakeService): (request: ServerRequest) => Promise<Response> {
  const commands = { ...readings(fake), ...changes(fake), ...heavySlots(fake) }
  return async (request) => {
    if (!isLoopback(request.ip) || request.headers.has('origin')) {
      return refuse(403, 'forbidden', 'Only programs on this machine may control the fake.')
    }
    const [, , name = '', id] = new URL(request.url).pathname.split('/')
    const command = commands[`${request.method} ${name}`]
    if (!command) {
      const known = Object.keys(commands).join(', ')
      return refuse(404, 'not_found', `There is no ${request.method} /_fake/${name}. There is: ${known}.`)
    }
    try {
      return respond(200, command(await readBody(request), id))
    } catch (error) {
      return refuse(400, 'invalid_request', error instanceof Error ? error.message : show(error))
    }
  }
}

function readings(fake: FakeService): Record<string, Command> {
  return {
    'GET ledger': () => fake.ledger(),
    'GET journal': () => fake.journal(),
    'GET faults': () => fake.faults().map(faultBody),
    'GET keys': () => fake.keys(),
    'GET clock': () => ({ now: fake.now() }),
  }
}

function changes(fake: FakeService): Record<string, Command> {
  return {
    'POST faults': (body) => faultBody(fake.fault(readFault(body))),
    'DELETE faults'(_, id) {
      const fault = fake.faults().find((one) => String(one.id) === id)
      if (!fault) throw new TypeError(`There is no fault ${id}.`)
      fault.remove()
      return faultBody(fault)
    },
    'POST keys'(body) {
      for (const [key, start] of Object.entries(body)) fake.addKey(key, start as KeyOptions)
      return fake.keys()
    },
    'POST clock'(body) {
      checkNames('POST /_fake/clock', body, ['advanceMs'])
      fake.advance(body.advanceMs as number)
      return { now: fake.now() }
    },
    'POST reset'() {
      fake.reset()
      return { reset: true }
    },
  }
}

function heavySlots(fake: FakeService): Record<string, Command> {
  const held = new Map<string, () => void>()
  let taken = 0
  return {
    'POST heavy-slots'() {
      const free = fake.holdHeavySlot()
      held.set(String(++taken), free)
      return { id: taken }
    },
    'DELETE heavy-slots'(_, id = '') {
      const free = held.get(id)
      if (!free) throw new TypeError(`No heavy slot ${id} is held.`)
      held.delete(id)
      free()
      return { freed: Number(id) }
    },
  }
}

async function readBody(request: ServerRequest): Promise<Body> {
  const text = await request.text()
  const body: unknown = text === '' ? {} : JSON.parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('The body is a JSON object.')
  return body as Body
}

/** JSON has no Infinity: the word stands for it. */
function readFault(body: Body): FaultOptions {
  const times = body.times === 'Infinity' ? { times: Number.POSITIVE_INFINITY } : {}
  return { ...body, ...times } as FaultOptions
}

function faultBody({ id, label, hits }: { id: number; label: string; hits: number }) {
  return { id, label, hits }
}

function refuse(status: number, code: string, message: string): Response {
  return respond(status, { error: { code, message } })
}

function respond(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

function isLoopback(ip: string | undefined): boolean {
  return ip !== undefined && (/^(::ffff:)?127\./.test(ip) || ip === '::1')
}
