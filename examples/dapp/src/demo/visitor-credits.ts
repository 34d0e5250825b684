import { VISITOR_CREDITS } from '../../server/proxy-options.ts'

const MAX_CREDITS = 1_000_000_000

/** The page's address asks for a demo that there cannot be. */
export class DemoAddressError extends Error {
  override readonly name = 'DemoAddressError'
}

/**
 * What the visitor of the demo may spend: `?credits=500` in the page's address, or what the proxy on Node allows.
 * @throws DemoAddressError
 */
export function readVisitorCredits(search: string): number {
  const text = new URLSearchParams(search).get('credits')
  if (text === null) return VISITOR_CREDITS
  if (!/^\d{1,10}$/.test(text) || Number(text) === 0 || Number(text) > MAX_CREDITS)
    throw new DemoAddressError(
      `The page’s address has “credits=${text}”. Write a whole number from 1 to ${MAX_CREDITS.toLocaleString('en')} without separators, such as “credits=500”.`,
    )
  return Number(text)
}
