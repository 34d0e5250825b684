import { setupServer } from 'msw/node'
import { mswSuite } from './suite.ts'

mswSuite((handlers) => {
  const server = setupServer(...handlers)
  // msw 3 calls the option by another name.
  const options = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const
  return {
    start: () => server.listen(options),
    stop: () => server.close(),
    use: (...more) => server.use(...more),
    hearsAborts: true,
    resetHandlers: () => server.resetHandlers(),
  }
})
