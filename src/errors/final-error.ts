import type { EtnMarketError } from './base.ts'

/** Whether every further call with the same key fails in the same way: the key is refused, or has no credits left. */
export const isFinalForKey = ({ name, status }: Pick<EtnMarketError, 'name' | 'status'>): boolean =>
  name === 'InsufficientCreditsError' || status === 401 || status === 402 || status === 403
