import { request } from 'undici'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  return callsOver(async (path) => {
    const { body } = await request(`${baseUrl}${path}`, { headers })
    return (await body.json()).data
  })
}
