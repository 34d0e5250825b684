import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'

/** What React asks of an element in which it puts nothing. */
function emptyElement(): Element {
  const listeners = { addEventListener() {}, removeEventListener() {} }
  const page = { ...listeners, nodeType: 9, defaultView: { HTMLIFrameElement: class {} } }
  return { ...listeners, nodeType: 1, nodeName: 'DIV', tagName: 'DIV', ownerDocument: page } as never
}

const page = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean | undefined; window?: unknown }

/** Lets React handle what `work` sets off. */
export async function acting<T>(work: () => Promise<T>): Promise<T> {
  // Other tests of this process are not in a page.
  page.IS_REACT_ACT_ENVIRONMENT = true
  page.window = {}
  try {
    return await act(work)
  } finally {
    page.IS_REACT_ACT_ENVIRONMENT = undefined
    delete page.window
  }
}

/** A mounted component, which React renders and commits as in a page. */
export interface Mounted<Shown> {
  /** What each rendering has returned, the newest last. */
  readonly shown: Shown[]
  unmount(): Promise<void>
}

/** Mounts a component that shows what a hook returns. */
export async function mount<Shown>(useShown: () => Shown): Promise<Mounted<Shown>> {
  const shown: Shown[] = []
  function Component() {
    shown.push(useShown())
    return null
  }
  const root = createRoot(emptyElement())
  await acting(async () => root.render(createElement(Component)))
  return { shown, unmount: () => acting(async () => root.unmount()) }
}
