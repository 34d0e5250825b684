import { type Client, type ClientEvent, type ClientOptions, checksumAddress, createClient } from 'etn-market'
// The client loads these at the first mismatch. Here they are loaded at once, so that a test in virtual time does not wait for them.
import '../../src/generated/answer-schemas.ts'
import { createVirtualClock, type VirtualClock } from './clock.ts'
import { createScript, type Handler, type Script, type ScriptOptions } from './script.ts'

export const KEY = 'esk_live_7Fq9XcT2mWbR4sKd'
export const BASE_URL = 'https://market.test/v1'

/** A client in virtual time, its scripted service and its events. */
export interface Setup {
  client: Client
  clock: VirtualClock
  script: Script
  events: ClientEvent[]
}

/** Sets up a client in virtual time with a scripted service. `options` override those of the setup. */
export function setup(handler?: Handler, options: ClientOptions = {}, scriptOptions: ScriptOptions = {}): Setup {
  const clock = createVirtualClock()
  const script = createScript(handler, scriptOptions)
  const events: ClientEvent[] = []
  const client = createClient({
    apiKey: KEY,
    baseUrl: BASE_URL,
    ...script.options,
    clock,
    onEvent: (event) => {
      events.push(event)
    },
    ...options,
  })
  return { client, clock, script, events }
}

/** Kept, because a checksum takes 50 µs and properties use some addresses a million times. */
const known: string[] = []

/** A different valid address for each number, in EIP-55 form. */
export function address(number: number): string {
  known[number] ??= checksumAddress(`0xabcdef${number.toString(16).padStart(34, '0')}`)
  return known[number]
}

export function addresses(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => address(from + index))
}

/** How a promise has ended so far. */
export interface Outcome<T> {
  state: 'pending' | 'resolved' | 'rejected'
  value?: T
  error?: unknown
}

/** Records how a promise ends, without waiting for it. Its rejection counts as handled. */
export function watch<T>(promise: T | Promise<T>): Outcome<T> {
  const outcome: Outcome<T> = { state: 'pending' }
  Promise.resolve(promise).then(
    (value) => Object.assign(outcome, { state: 'resolved', value }),
    (error: unknown) => Object.assign(outcome, { state: 'rejected', error }),
  )
  return outcome
}

/** The error that a promise rejects with, which must be of the expected class. */
export async function rejection<E>(
  promise: Promise<unknown>,
  Expected: abstract new (...args: never[]) => E,
): Promise<E> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Expected) return error
    throw new Error(`Not a ${Expected.name}`, { cause: error })
  }
  throw new Error('It did not reject')
}

/** The fields of an event without its ids and parameters. */
export function withoutIds(event: ClientEvent): object {
  const { callId, requestId, attempt, params, ...fields } = event as ClientEvent & Record<string, unknown>
  return fields
}
