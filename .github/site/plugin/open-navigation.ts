import { type Application, JSX } from 'typedoc'

/** TypeDoc remembers under these names whether a reader has opened a part of the navigation. */
const SCRIPT = `for (const part of ['Guides', 'Reference']) {
  const key = 'tsd-accordion-' + part
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true')
}`

/** Shows the lists of guides and entries to a reader who comes for the first time. */
export function openNavigation(app: Application): void {
  app.renderer.hooks.on('head.begin', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: SCRIPT })),
  )
}
