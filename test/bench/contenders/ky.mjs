import ky from 'ky'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  const http = ky.create({ prefixUrl: baseUrl, headers })
  return callsOver(async (path) => (await http.get(path.slice(1)).json()).data)
}
