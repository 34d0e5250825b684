import { useSyncExternalStore } from 'react'

/** The views, by the first part of the address behind `#/`. */
export const VIEWS = ['tokens', 'candles', 'pools', 'nfts', 'presales', 'wallet', 'locks'] as const
export type View = (typeof VIEWS)[number]

/** A view, and the address that it shows where it shows one. */
export interface Route {
  readonly view: View
  readonly address: string | undefined
}

export const hrefOf = (view: View, address?: string) => `#/${view}${address === undefined ? '' : `/${address}`}`

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  const [, name, address] = hash.split('/')
  return { view: VIEWS.find((view) => view === name) ?? 'tokens', address }
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}
