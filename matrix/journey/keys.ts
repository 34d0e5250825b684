/** One key for each scene, so that the faults can be set before a journey begins: a page cannot set any. */
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

/** What goes wrong on a journey, as `POST /_fake/faults` takes it. */
export const faults = [
  { key: keys.retry, operation: 'etn.price', status: 429, retryAfter: '1' },
  { key: keys.abort, operation: 'locks.get', status: 503, retryAfter: '30' },
  { key: keys.lost, operation: 'token.price', reset: 'after', times: 'Infinity' },
  { key: keys.mismatch, operation: 'etn.price', status: 200, body: { data: { usd: 5 }, cursor: null }, charge: true },
  { key: keys.close, operation: 'nft.stats', never: true },
] as const

/** What the lost token.price was charged. */
export const LOST = 50
/** What is charged without an answer that tells: that one, and an nft.stats that never came. */
export const UNCERTAIN = LOST + 25
