/** The calls of every workload, for a client that is handed a path. */
export const callsOver = (get) => ({
  light: (address) => get(`/prices/52014/${address}`),
  candles: (address) => get(`/tokens/52014/${address}/candles?limit=500`),
  batch: (addresses) => get(`/prices/52014?addresses=${addresses}`),
})
