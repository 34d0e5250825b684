/** The calls of every workload, for a client that takes a path. `get` also gets the name of the call. */
export const callsOver = (get) => ({
  light: (address) => get(`/prices/52014/${address}`, 'light'),
  candles: (address) => get(`/tokens/52014/${address}/candles?limit=500`, 'candles'),
  batch: (addresses) => get(`/prices/52014?addresses=${addresses}`, 'batch'),
})
