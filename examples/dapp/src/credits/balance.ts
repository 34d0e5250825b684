import type { AfterResponseHook } from 'etn-market'
import { useSyncExternalStore } from 'react'

/** What this visitor has left, as the newest answer of the proxy says. */
export interface Balance {
  /** Reads it from each answer, refusals included. A hook of the client. */
  readonly readAnswer: AfterResponseHook
  /** Credits; undefined before an answer says it. */
  readonly getSnapshot: () => number | undefined
  readonly subscribe: (listener: () => void) => () => void
}

export function createBalance(): Balance {
  const listeners = new Set<() => void>()
  let remaining: number | undefined
  return {
    readAnswer({ response }) {
      const text = response.headers.get('x-credits-remaining') ?? ''
      if (!/^\d+$/.test(text)) return
      remaining = Number(text)
      for (const listener of listeners) listener()
    },
    getSnapshot: () => remaining,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export const useBalance = ({ subscribe, getSnapshot }: Balance) => useSyncExternalStore(subscribe, getSnapshot)
