import { below, pick } from './random.ts'

/** Addresses of the tokens that every seed contains, by symbol. They exist on the chain. */
export const fakeTokens = {
  /** Bolt. */
  BOLT: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
  /** Core. */
  CORE: '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  /** Dyno. */
  DYNO: '0xEe432C220273e4F949007B4c1946562826Efa055',
  /** Puddy. */
  PDY: '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  /** Fugazi. */
  FUGAZI: '0x075533AB8EeC6A6999F07C8bc2f1900eB8312e25',
  /** USD Coin. */
  USDC: '0x3187deAd7A2Bd6770F5Fe81495D1B715926AAe6e',
  /** Tether USD. */
  USDT: '0x48E722f1458b253c2FB0E573F939318D7Dbd54e7',
  /** Club. */
  CLUB: '0xC9FC4AB00911793D99b5c7Bd01f01203C21D4131',
  /** Decent. */
  DCNT: '0xE74e4E7A064310466f3bdBd3F3Ce4e8c8F7CF1d5',
  /** Wrapped ETN. */
  WETN: '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
} as const

/** The same tokens with their data. Prices are starting points, not quotations. */
// biome-ignore format: a table
export const REAL_TOKENS = [
  { address: fakeTokens.BOLT, symbol: 'BOLT', name: 'Bolt', decimals: 18, totalSupply: 100_000_000, anchor: 'ETN', price: '19.4', activity: 310, poolShare: 0.006 },
  { address: fakeTokens.CORE, symbol: 'CORE', name: 'Core', decimals: 18, totalSupply: 21_000_000, anchor: 'ETN', price: '3.17', activity: 120, poolShare: 0.04 },
  { address: fakeTokens.DYNO, symbol: 'DYNO', name: 'Dyno', decimals: 18, totalSupply: 1_000_000_000, anchor: 'ETN', price: '0.0528', activity: 160, poolShare: 0.05 },
  { address: fakeTokens.PDY, symbol: 'PDY', name: 'Puddy', decimals: 18, totalSupply: 1_000_000_000, anchor: 'ETN', price: '0.0091', activity: 90, poolShare: 0.07 },
  { address: fakeTokens.FUGAZI, symbol: 'FUGAZI', name: 'Fugazi', decimals: 18, totalSupply: 420_690_000_000, anchor: 'ETN', price: '0.0000273', activity: 70, poolShare: 0.08 },
  { address: fakeTokens.USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6, totalSupply: 2_400_000, anchor: 'USD', price: '0.9998', activity: 420, poolShare: 0.02 },
  { address: fakeTokens.USDT, symbol: 'USDT', name: 'Tether USD', decimals: 6, totalSupply: 1_900_000, anchor: 'USD', price: '1.0003', activity: 260, poolShare: 0.02 },
  { address: fakeTokens.CLUB, symbol: 'CLUB', name: 'Club', decimals: 18, totalSupply: 10_000_000, anchor: 'ETN', price: '8.62', activity: 60, poolShare: 0.04 },
  { address: fakeTokens.DCNT, symbol: 'DCNT', name: 'Decent', decimals: 18, totalSupply: 500_000_000, anchor: 'ETN', price: '0.744', activity: 45, poolShare: 0.015 },
  { address: fakeTokens.WETN, symbol: 'WETN', name: 'Wrapped ETN', decimals: 18, totalSupply: 184_000_000, anchor: 'ETN', price: '1', activity: 0, poolShare: 0 },
] as const

// biome-ignore format: a list of names
const FIRST = [
  'Volt', 'Amp', 'Ohm', 'Spark', 'Flux', 'Arc', 'Coil', 'Watt', 'Ion', 'Pulse', 'Photon', 'Quark', 'Neon', 'Argon', 'Copper', 'Silver',
  'Amber', 'Cobalt', 'Onyx', 'Ember', 'Comet', 'Lunar', 'Solar', 'Orbit', 'Nova', 'Otter', 'Heron', 'Lynx', 'Panda', 'Koala', 'Falcon',
  'Cactus', 'Maple', 'Clover', 'Tidal', 'Glacier', 'Canyon', 'Harbor', 'Pepper', 'Mango',
] as const

// biome-ignore format: a list of names
const LAST = [
  'Coin', 'Cash', 'Token', 'Protocol', 'Finance', 'Swap', 'Chain', 'Labs', 'Network', 'Pay', 'Yield', 'Vault', 'DAO', 'Gold', 'Game',
  'Art', 'Land', 'Inu', 'Cat', 'Link',
] as const

/** A name for a token; another one for another attempt. */
export function coinName(noise: number, attempt = 0) {
  const first = pick(FIRST, noise, 20, attempt)
  const last = pick(LAST, noise, 21, attempt)
  const letters = first.slice(0, 3 + below(2, noise, 22, attempt)) + last.slice(0, 1 + below(2, noise, 23, attempt))
  return { name: `${first} ${last}`, symbol: letters.toUpperCase() }
}

/** There are some 2,300 symbols of two words. Where so many in a row are taken, a name has three. */
const MAX_SHORT_ATTEMPTS = 20

/** Returns a function that names one token after the other, each with a symbol that is not taken. */
export function createCoinNames(taken: readonly string[]) {
  const used = new Set(taken)
  return (noise: number) => {
    for (let attempt = 0; ; attempt++) {
      const short = coinName(noise, attempt)
      const third = pick(LAST, noise, 24, attempt)
      const long = { name: `${short.name} ${third}`, symbol: short.symbol + third.slice(0, 2).toUpperCase() }
      const found = attempt < MAX_SHORT_ATTEMPTS ? short : long
      if (used.has(found.symbol)) continue
      used.add(found.symbol)
      return found
    }
  }
}

// biome-ignore format: a list of names
const ADJECTIVES = [
  'Electric', 'Quiet', 'Golden', 'Lost', 'Pixel', 'Cosmic', 'Rusty', 'Velvet', 'Frozen', 'Wild', 'Tiny', 'Grand',
] as const
// biome-ignore format: a list of names
const CREATURES = [
  'Foxes', 'Robots', 'Dragons', 'Owls', 'Whales', 'Knights', 'Bees', 'Ghosts', 'Turtles', 'Wolves', 'Wizards', 'Frogs',
] as const

/** The name of an NFT collection; the index makes it unique. */
export function collectionName(index: number, noise: number): { name: string; symbol: string } {
  const adjective = ADJECTIVES[index % ADJECTIVES.length] ?? ADJECTIVES[0]
  const creature = CREATURES[(index + Math.floor(index / ADJECTIVES.length) + noise) % CREATURES.length] ?? CREATURES[0]
  return {
    name: `${adjective} ${creature}`,
    symbol: `${adjective.slice(0, 2)}${creature.slice(0, 3)}${index}`.toUpperCase(),
  }
}
