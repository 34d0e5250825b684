import { callsOver } from './calls.mjs'

/** The baseline of every comparison. */
export function connect({ baseUrl, headers }) {
  return callsOver(async (path) => {
    const response = await fetch(`${baseUrl}${path}`, { headers })
    return (await response.json()).data
  })
}
