import { invalidOption, rejectUnknown } from '../errors/input.ts'
import type { FetchLike } from './fetch-request.ts'
import type { Hooks } from './hooks.ts'
import { createKyTransport } from './ky.ts'
import type { Transport } from './transport.ts'

export interface TransportOptions {
  readonly transport?: Transport | undefined
  readonly fetch?: FetchLike | undefined
  readonly hooks?: Hooks | undefined
}

/**
 * The transport that the options ask for.
 * @throws InvalidRequestError when they contradict each other, or are not what they must be
 */
export function chooseTransport({ transport, fetch, hooks }: TransportOptions): Transport {
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidOption('fetch', typeof fetch, 'a function')
  if (hooks !== undefined) checkHooks(hooks)
  if (transport === undefined) return createKyTransport({ fetch, hooks })
  if (typeof transport?.send !== 'function') {
    throw invalidOption('transport', typeof transport, 'an object with send(attempt), such as createNodeTransport()')
  }
  for (const [name, option] of Object.entries({ fetch, hooks })) {
    if (option !== undefined)
      throw invalidOption(name, 'given with transport', 'left out then: a transport uses neither fetch nor hooks')
  }
  return transport
}

function checkHooks(hooks: Hooks): void {
  rejectUnknown('hook', hooks, ['beforeRequest', 'afterResponse'])
  for (const [name, list] of Object.entries(hooks)) {
    const isList = Array.isArray(list) && list.every((hook) => typeof hook === 'function')
    if (list !== undefined && !isList) throw invalidOption(`hooks.${name}`, typeof list, 'an array of functions')
  }
}
