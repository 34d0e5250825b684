import { setupWorker } from 'msw/browser'
import { mswSuite } from './suite.ts'

mswSuite((handlers) => {
  const worker = setupWorker(...handlers)
  // msw 3 calls the option by another name. The page's own requests are none of its business.
  const options = { quiet: true, onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' } as const
  return {
    start: () => worker.start(options),
    stop: () => worker.stop(),
    use: (...more) => worker.use(...more),
    hearsAborts: false,
    resetHandlers: () => worker.resetHandlers(),
  }
})
