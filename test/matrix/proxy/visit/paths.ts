/** Tokens that the fake service lists. */
export const ADDRESSES = [
  '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
  '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  '0xEe432C220273e4F949007B4c1946562826Efa055',
  '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
] as const
export const [BOLT] = ADDRESSES

export const priceOf = (address: string): string => `/prices/52014/${address}`
