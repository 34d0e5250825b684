interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

export interface PageVisibility {
  /** Whether the page is hidden; false where there is no page. */
  readonly hidden: boolean
  /** Removes the listener. */
  stop(): void
}

/** Follows the visibility of the page. */
export function followPageVisibility(onChange: () => void): PageVisibility {
  const page = (globalThis as { document?: Page }).document
  page?.addEventListener('visibilitychange', onChange)
  return {
    get hidden() {
      return page?.hidden ?? false
    },
    stop: () => page?.removeEventListener('visibilitychange', onChange),
  }
}
