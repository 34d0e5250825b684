import { DemoAddressError } from './visitor-credits.ts'

/** Why there is no demo. Some browsers have no service workers in private windows. */
export function DemoFailure({ error }: { error: unknown }) {
  return (
    <main>
      <div className="card notice" role="alert">
        <h1>The demo cannot start here</h1>
        <p>
          {error instanceof DemoAddressError
            ? error.message
            : 'It needs a service worker, which this browser does not allow. Open the page in another window or browser.'}
        </p>
        {error instanceof DemoAddressError && (
          <p>
            <a href={location.pathname}>Open the demo without it</a>
          </p>
        )}
      </div>
    </main>
  )
}
