/**
 * Prices as text for people: significant digits, and zeros counted.
 *
 * @module etn-market/format
 */

export { type FormatPriceOptions, formatPrice } from './format-price.ts'
