import axios from 'axios'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  const http = axios.create({ baseURL: baseUrl, headers })
  return callsOver(async (path) => (await http.get(path)).data.data)
}
