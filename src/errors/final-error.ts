import type { EtnMarketError } from './base.ts'

/** Whether every further call with the same key fails in the same way: the key is missing, is refused, or has no credits left. */
export const isFinalForKey = ({ name, code, status }: Pick<EtnMarketError, 'name' | 'code' | 'status'>): boolean =>
  name === 'InsufficientCreditsError' ||
  code === 'api_key_missing' ||
  status === 401 ||
  status === 402 ||
  status === 403
