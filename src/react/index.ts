/**
 * React hooks for prices, for the state of a feed or a stream, and a meter of credits.
 *
 * @module etn-market/react
 */

export {
  type CreditMeter,
  type CreditMeterOptions,
  type CreditMeterState,
  createCreditMeter,
  useCreditMeter,
} from './credit-meter.ts'
export { type StatusSource, useFeedStatus } from './use-feed-status.ts'
export {
  type PriceReader,
  type PriceSource,
  type PriceSourceWatch,
  type PricesByAddress,
  type UsePriceOptions,
  usePrice,
  usePrices,
} from './use-prices.ts'
