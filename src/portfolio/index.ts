/**
 * What a wallet holds and what that is worth, kept up to date over a price feed.
 *
 * @module etn-market/portfolio
 */

export { type Portfolio, type PortfolioOptions, type PortfolioPosition, watchPortfolio } from './watch-portfolio.ts'
