import { checkMethods } from '../errors/input.ts'

/** Says whether an app is seen: the `AppState` of React Native. It is hidden while its state is `background`. */
export interface AppVisibility {
  /** Such as `active`, `inactive` or `background`. */
  readonly currentState: string | null
  /** Calls back when the state changes, until what it returns is removed. */
  addEventListener(type: 'change', listener: () => void): { remove(): void }
}

interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
  removeEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
}

const findPage = () => (globalThis as { document?: Page }).document

export type PageVisibility = ReturnType<typeof followPageVisibility>

/** @throws InvalidRequestError */
export function checkVisibility(option: string, app: unknown, others: string): void {
  checkMethods(option, app, ['addEventListener'], `${others} or the AppState of React Native`)
}

/** @param app what says it where there is no page; anything else asks the page */
export function followPageVisibility(onChange: () => void, app?: unknown) {
  return typeof app === 'object' ? followApp(onChange, app as AppVisibility) : followPage(onChange)
}

function followPage(onChange: () => void) {
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

function followApp(onChange: () => void, app: AppVisibility): ReturnType<typeof followPage> {
  const listener = app.addEventListener('change', onChange)
  return {
    get hidden() {
      return app.currentState === 'background'
    },
    stop: () => listener.remove(),
  }
}

/** Calls back when a browser that has frozen the page lets it run again: what it read then never gives another byte. Returns a function that stops it. */
export function onPageResume(onResume: () => void): () => void {
  const page = findPage()
  page?.addEventListener('resume', onResume)
  return () => page?.removeEventListener('resume', onResume)
}
