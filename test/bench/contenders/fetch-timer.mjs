import { callsOver } from './calls.mjs'

const TIMEOUT_MS = 15_000

/** Bare fetch with a timeout. */
export function connect({ baseUrl, headers }) {
  return callsOver(async (path) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MS)
    try {
      const response = await fetch(`${baseUrl}${path}`, { headers, signal: controller.signal })
      return (await response.json()).data
    } finally {
      clearTimeout(timer)
    }
  })
}
