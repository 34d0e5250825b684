import type { StreamedPrice } from './read-price.ts'
import type { FeedStreamStatus } from './stream-state.ts'

/** The tabs of a browser that have the same streams, and how they reach each other. */
export interface Tabs {
  /** Equal for pages that may share streams: it names their proxy. */
  readonly name: string
  /** `navigator.locks`: the tab that holds the lock has the streams. The browser frees the locks of a tab that goes, however it goes. */
  readonly locks: { request(name: string, options: LockOptions, run: () => Promise<void>): Promise<unknown> }
  /** Opens a `BroadcastChannel`. @throws where the browser allows none */
  openChannel(name: string): TabChannel
}

/** A lock is waited for until the signal aborts, or taken from the tab that has it. */
export type LockOptions = { readonly signal: AbortSignal } | { readonly steal: true }

/** The parts of a `BroadcastChannel` that tabs use. */
export interface TabChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  postMessage(message: TabMessage): void
  close(): void
}

/** What tabs send each other. */
export type TabMessage =
  /** A tab wants these prices, and no others. */
  | { readonly type: 'want'; readonly tab: string; readonly wanted: readonly (readonly [string, number])[] }
  /** The leader has changed: every tab says again what it wants. */
  | { readonly type: 'lead' }
  /** A price. Its moment is that of the wall clock, which the tabs of a browser share. */
  | { readonly type: 'price'; readonly price: StreamedPrice }
  /** What the streams do. Sent at each change, and as a heartbeat. */
  | { readonly type: 'state'; readonly streams: readonly SharedStream[] }

export interface SharedStream {
  readonly status: FeedStreamStatus
  readonly isLive: boolean
  readonly addresses: readonly string[]
}

/** The tabs of this browser; undefined outside a page, and in browsers without locks or channels. */
export function tabsOfBrowser(baseUrl: string): Tabs | undefined {
  const { document, location, navigator, BroadcastChannel } = globalThis as unknown as {
    document?: object
    location?: { readonly href: string }
    navigator?: { readonly locks?: Tabs['locks'] }
    BroadcastChannel?: new (name: string) => TabChannel
  }
  const locks = navigator?.locks
  if (!document || !location || !locks || !BroadcastChannel) return undefined
  return { name: new URL(baseUrl, location.href).href, locks, openChannel: (name) => new BroadcastChannel(name) }
}
