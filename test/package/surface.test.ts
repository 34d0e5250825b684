import { expect, test } from 'vitest'

/** What each subpath exports at run time. A change here is a change of the product. */
const SURFACE = {
  'etn-market': [
    'ApiError',
    'AuthenticationError',
    'BudgetExceededError',
    'ConnectionError',
    'EtnMarketError',
    'InsufficientCreditsError',
    'InvalidLimitError',
    'InvalidRequestError',
    'NotFoundError',
    'PartialBatchError',
    'PermissionError',
    'RateLimitError',
    'ResponseError',
    'ServerBusyError',
    'ServiceError',
    'StateUnavailableError',
    'TimeoutError',
    'checksumAddress',
    'createBudget',
    'createClient',
    'creditsToUsd',
    'estimateCost',
    'isAddress',
    'isEtnMarketError',
    'operations',
    'planCredits',
    'toUnits',
    'unlocksAt',
  ],
  'etn-market/fake': [
    'FakeUsageError',
    'createFakeService',
    'fakeKey',
    'fakeOperations',
    'fakeRoutes',
    'fakeTokens',
    'fakeWallets',
    'record',
    'useFakeService',
  ],
  'etn-market/feed': ['createPriceFeed'],
  'etn-market/msw': ['mswHandlers'],
  'etn-market/node': ['FileStoreError', 'createFileStore', 'createNodeTransport'],
  'etn-market/redis': ['createRedisFleet'],
  'etn-market/format': ['formatPrice'],
  'etn-market/stream': ['createPriceStream'],
}

test.each(Object.entries(SURFACE))('%s', async (subpath, names) => {
  const modules: Record<string, () => Promise<object>> = {
    'etn-market': () => import('etn-market'),
    'etn-market/fake': () => import('etn-market/fake'),
    'etn-market/feed': () => import('etn-market/feed'),
    'etn-market/msw': () => import('etn-market/msw'),
    'etn-market/node': () => import('etn-market/node'),
    'etn-market/redis': () => import('etn-market/redis'),
    'etn-market/format': () => import('etn-market/format'),
    'etn-market/stream': () => import('etn-market/stream'),
  }
  expect(Object.keys((await modules[subpath]?.()) ?? {}).sort()).toEqual([...names].sort())
})
