import Coingecko from '@coingecko/coingecko-typescript'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  // It insists on a key of its own unless that header is left out on purpose.
  const client = new Coingecko({ baseURL: baseUrl, defaultHeaders: { ...headers, 'x-cg-pro-api-key': null } })
  return callsOver(async (path) => (await client.get(path)).data)
}
