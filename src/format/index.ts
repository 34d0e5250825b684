export { type FormatPriceOptions, formatPrice } from './format-price.ts'
