import { costs, ok, price } from './answers.ts'
import type { Exchange, Handler } from './script.ts'
import { address } from './setup.ts'

export const isHeavy = ({ url }: Exchange) => url.pathname.includes('locks') || url.pathname.includes('farms')
export const good: Handler = (exchange) => (isHeavy(exchange) ? ok([], costs(2_000)) : ok(price(address(1)), costs(50)))
/** A service that refuses its first request and serves the others. */
export const firstly =
  (refuse: () => Response): Handler =>
  (exchange) =>
    exchange.number === 1 ? refuse() : good(exchange)
