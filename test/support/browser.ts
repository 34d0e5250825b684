/** A browser with tabs: locks and channels that pages of one origin share, as `navigator.locks` and `BroadcastChannel` do. */
export interface Browser {
  openTab(): Tab
  /** Who holds locks, and how many wait. */
  locks(): { readonly name: string; readonly waiting: number }[]
}

export interface Tab {
  /** Runs a function in which the globals of a page are those of this tab. */
  run<T>(action: () => T): T
  /** The tab goes as in a crash: nothing of its own code runs, and the browser frees its locks. */
  kill(): void
  /** The tab neither sends nor hears anything, and keeps its locks. Returns what lets it run again. */
  freeze(): () => void
  /** Whether its code runs. */
  readonly isRunning: boolean
  /** Aborts when the tab is killed. */
  readonly signal: AbortSignal
}

interface TabState {
  isRunning: boolean
  /** What the tab learns when it runs again. */
  readonly onThaw: (() => void)[]
}

interface LockRequest {
  readonly tab: TabState
  grant(): void
  /** Another tab has taken the lock. */
  steal(): void
}

type Run = () => Promise<void>

export function createBrowser(): Browser {
  /** The first of a name holds the lock. */
  const queues = new Map<string, LockRequest[]>()
  const channels = new Map<string, Set<Channel>>()

  function remove(name: string, request: LockRequest): void {
    const queue = queues.get(name) ?? []
    const isHolder = queue[0] === request
    queue.splice(queue.indexOf(request) >>> 0, 1)
    if (queue.length === 0) queues.delete(name)
    else if (isHolder) queue[0]?.grant()
  }

  function request(tab: TabState, name: string, options: { signal?: AbortSignal; steal?: boolean }, run: Run) {
    return new Promise<void>((resolve, reject) => {
      const queue = queues.get(name) ?? []
      queues.set(name, queue)
      let isGranted = false
      const own: LockRequest = {
        tab,
        grant() {
          isGranted = true
          void Promise.resolve()
            .then(run)
            .then(resolve, reject)
            .finally(() => remove(name, own))
        },
        steal() {
          const tell = () => reject(new DOMException('The lock was stolen.', 'AbortError'))
          if (tab.isRunning) tell()
          else tab.onThaw.push(tell)
        },
      }
      options.signal?.addEventListener('abort', () => {
        if (isGranted) return
        remove(name, own)
        reject(options.signal?.reason)
      })
      if (options.steal) {
        queue.shift()?.steal()
        queue.unshift(own)
      } else queue.push(own)
      if (queue[0] === own) own.grant()
    })
  }

  class Channel {
    onmessage: ((event: { readonly data: unknown }) => void) | null = null
    readonly #peers: Set<Channel>
    readonly #state: TabState

    constructor(name: string, state: TabState) {
      this.#peers = channels.get(name) ?? new Set()
      channels.set(name, this.#peers)
      this.#peers.add(this)
      this.#state = state
    }

    postMessage(message: unknown): void {
      if (!this.#state.isRunning) return
      const data = structuredClone(message)
      for (const peer of this.#peers)
        if (peer !== this) queueMicrotask(() => this.#peers.has(peer) && peer.#receive(data))
    }

    #receive(data: unknown): void {
      if (this.#state.isRunning) this.onmessage?.({ data })
    }

    close(): void {
      this.#peers.delete(this)
    }
  }

  return {
    locks: () => Array.from(queues, ([name, queue]) => ({ name, waiting: queue.length - 1 })),
    openTab() {
      const state: TabState = { isRunning: true, onThaw: [] }
      const killed = new AbortController()
      const globals = {
        document: {},
        location: { href: 'https://dapp.example/prices' },
        navigator: {
          locks: { request: (name: string, options: object, run: Run) => request(state, name, options, run) },
        },
        BroadcastChannel: class extends Channel {
          constructor(name: string) {
            super(name, state)
          }
        },
      }
      return {
        signal: killed.signal,
        get isRunning() {
          return state.isRunning
        },
        run: (action) => withGlobals(globals, action),
        freeze() {
          state.isRunning = false
          return () => {
            state.isRunning = true
            for (const run of state.onThaw.splice(0)) run()
          }
        },
        kill() {
          state.isRunning = false
          killed.abort()
          for (const [name, queue] of [...queues])
            for (const own of queue.filter(({ tab }) => tab === state)) remove(name, own)
        },
      }
    },
  }
}

/** Replaces globals while a function runs. */
function withGlobals<T>(globals: object, action: () => T): T {
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  const restore = () => {
    for (const [name, descriptor] of before)
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
  }
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  try {
    return action()
  } finally {
    restore()
  }
}
