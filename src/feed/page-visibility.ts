interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

export type PageVisibility = ReturnType<typeof followPageVisibility>

export function followPageVisibility(onChange: () => void) {
  const page = (globalThis as { document?: Page }).document
  page?.addEventListener('visibilitychange', onChange)
  return {
    /** False where there is no page. */
    get hidden() {
      return page?.hidden ?? false
    },
    stop: () => page?.removeEventListener('visibilitychange', onChange),
  }
}
