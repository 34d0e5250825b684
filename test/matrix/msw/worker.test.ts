import { setupWorker } from 'msw/browser'
import { mswSuite } from './suite.ts'

mswSuite((handlers) => {
  const worker = setupWorker(...handlers)
  // msw 3 renamed the option to `onUnhandledFrame`. The page's own requests pass through.
  const options = { quiet: true, onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' } as const
  return {
    start: () => worker.start(options),
    stop: () => worker.stop(),
    use: (...more) => worker.use(...more),
    forwardsAborts: false,
    resetHandlers: () => worker.resetHandlers(),
  }
})
