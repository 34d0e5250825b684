interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
  removeEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
}

const findPage = () => (globalThis as { document?: Page }).document

export type PageVisibility = ReturnType<typeof followPageVisibility>

export function followPageVisibility(onChange: () => void) {
  const page = findPage()
  page?.addEventListener('visibilitychange', onChange)
  return {
    /** False where there is no page. */
    get hidden() {
      return page?.hidden ?? false
    },
    stop: () => page?.removeEventListener('visibilitychange', onChange),
  }
}

/** Calls back when a browser that has frozen the page lets it run again: what it read then never gives another byte. Returns a function that stops it. */
export function onPageResume(onResume: () => void): () => void {
  const page = findPage()
  page?.addEventListener('resume', onResume)
  return () => page?.removeEventListener('resume', onResume)
}
