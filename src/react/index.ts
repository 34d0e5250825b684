export {
  type CreditMeter,
  type CreditMeterOptions,
  type CreditMeterState,
  createCreditMeter,
  useCreditMeter,
} from './credit-meter.ts'
export { type PricesByAddress, type UsePriceOptions, usePrice, usePrices } from './use-prices.ts'
