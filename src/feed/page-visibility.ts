import { invalidOption } from '../errors/input.ts'

/** Says whether an app is seen: the `AppState` of React Native. It is hidden while its state is `background`. */
export interface AppVisibility {
  /** Such as `active`, `inactive` or `background`. */
  readonly currentState: string | null | undefined
  /** Calls back when the state changes, until what it returns is removed. */
  addEventListener(
    type: 'change',
    listener: () => void,
  ): {
    /** Ends the calls. */
    remove(): void
  }
}

interface Page {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
  removeEventListener(type: 'visibilitychange' | 'resume', listener: () => void): void
}

const findPage = () => (globalThis as { document?: Page }).document

export type PageVisibility = ReturnType<typeof followPageVisibility>

/** @param option the `AppState` to ask in place of the page */
export function followPageVisibility(onChange: () => void, option?: boolean | string | AppVisibility) {
  if (typeof option === 'object') {
    const listener = option.addEventListener('change', onChange)
    return {
      get hidden() {
        return option.currentState === 'background'
      },
      stop: () => listener.remove(),
    }
  }
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

/** @throws InvalidRequestError for an option that is neither one of `others` nor an `AppState` */
export function requireVisibility(option: string, app: unknown, others: string): void {
  if (typeof (app as Partial<AppVisibility> | null)?.addEventListener !== 'function')
    throw invalidOption(option, app, `${others} or the AppState of React Native`)
}

/** Calls back when a browser that has frozen the page lets it run again: what it read then never gives another byte. Returns a function that stops it. */
export function onPageResume(onResume: () => void): () => void {
  const page = findPage()
  page?.addEventListener('resume', onResume)
  return () => page?.removeEventListener('resume', onResume)
}
