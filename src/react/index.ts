export {
  type CreditMeter,
  type CreditMeterOptions,
  type CreditMeterState,
  createCreditMeter,
  useCreditMeter,
} from './credit-meter.ts'
export { useFeedStatus } from './use-feed-status.ts'
export { type PricesByAddress, type UsePriceOptions, usePrice, usePrices } from './use-prices.ts'
