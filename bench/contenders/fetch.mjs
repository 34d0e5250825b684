import { callsOver } from './calls.mjs'

/** What everything else is divided by. */
export function connect({ baseUrl, headers }) {
  return callsOver(async (path) => {
    const response = await fetch(`${baseUrl}${path}`, { headers })
    return (await response.json()).data
  })
}
