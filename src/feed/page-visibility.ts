import { checkMethods } from '../errors/input.ts'

/** Says whether an app is seen: the `AppState` of React Native. It is hidden while its state is `background`. */
export interface AppVisibility {
  /** Such as `active`, `inactive` or `background`. */
  readonly currentState: string | null | undefined
  /** Calls back when the state changes, until what it returns is removed. */
  addEventListener(type: 'change', listener: () => void): { remove(): void }
}

interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

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

function followApp(onChange: () => void, app: AppVisibility): ReturnType<typeof followPage> {
  const listener = app.addEventListener('change', onChange)
  return {
    get hidden() {
      return app.currentState === 'background'
    },
    stop: () => listener.remove(),
  }
}
