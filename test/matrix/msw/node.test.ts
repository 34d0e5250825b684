import { setupServer } from 'msw/node'
import { mswSuite } from './suite.ts'

mswSuite((handlers) => {
  const server = setupServer(...handlers)
  // msw 3 renamed the option to `onUnhandledFrame`.
  const options = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const
  return {
    start: () => server.listen(options),
    stop: () => server.close(),
    use: (...more) => server.use(...more),
    forwardsAborts: true,
    resetHandlers: () => server.resetHandlers(),
  }
})
