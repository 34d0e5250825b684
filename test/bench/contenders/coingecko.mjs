import Coingecko from '@coingecko/coingecko-typescript'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  // Without this null header, the client requires a key of its own.
  const client = new Coingecko({ baseURL: baseUrl, defaultHeaders: { ...headers, 'x-cg-pro-api-key': null } })
  return callsOver(async (path) => (await client.get(path)).data)
}
