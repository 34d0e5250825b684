interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

/** Whether nobody sees the page. */
export interface Visibility {
  readonly hidden: boolean
  /** Lets go of the page. */
  stop(): void
}

/** Follows the page, where there is one. */
export function followPage(onChange: () => void): Visibility {
  const page = (globalThis as { document?: Page }).document
  page?.addEventListener('visibilitychange', onChange)
  return {
    get hidden() {
      return page?.hidden ?? false
    },
    stop: () => page?.removeEventListener('visibilitychange', onChange),
  }
}
