// A user's test setup. It is only type-checked.
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { setupServer } from 'msw/node'

const fake = createFakeService()
export const server = setupServer(
  ...mswHandlers(fake),
  ...mswHandlers(fake, { baseUrl: 'https://elsewhere.example/v1' }),
)
// @ts-expect-error there is no such option
export const misspelled = mswHandlers(fake, { baseURL: 'x' })
