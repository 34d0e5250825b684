import { ofetch } from 'ofetch'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  const http = ofetch.create({ baseURL: baseUrl, headers })
  return callsOver(async (path) => (await http(path)).data)
}
