import type { CSSProperties } from 'react'

/** A gradient that an address always gets, where there is no picture. */
export function tintOf(address: string): CSSProperties {
  const hue = Number.parseInt(address.slice(2, 8), 16) % 360
  return { background: `linear-gradient(135deg, hsl(${hue} 62% 48%), hsl(${(hue + 40) % 360} 68% 36%))` }
}
