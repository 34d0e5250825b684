/** One key per step, so that all faults can be set before the scenario starts: a page cannot set any. */
export const keys = {
  operations: 'esk_test_operations',
  batch: 'esk_test_batch',
  retry: 'esk_test_retry',
  budget: 'esk_test_budget',
  abort: 'esk_test_abort',
  lost: 'esk_test_lost',
  mismatch: 'esk_test_mismatch',
  close: 'esk_test_close',
} as const

/** The faults of the scenario, in the form that `POST /_fake/faults` takes. */
export const faults = [
  { key: keys.retry, operation: 'etn.price', status: 429, retryAfter: '1' },
  { key: keys.abort, operation: 'locks.get', status: 503, retryAfter: '30' },
  { key: keys.lost, operation: 'token.price', reset: 'after', times: 'Infinity' },
  { key: keys.mismatch, operation: 'etn.price', status: 200, body: { data: { usd: 5 }, cursor: null }, charge: true },
  { key: keys.close, operation: 'nft.stats', never: true },
] as const

/** The charge of the lost `token.price`. */
export const LOST_CREDITS = 50
/** Charges without a response: that one, and an `nft.stats` that is never answered. */
export const UNCERTAIN_CREDITS = LOST_CREDITS + 25
