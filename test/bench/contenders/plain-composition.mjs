import ky from 'ky'
import pRetry, { AbortError } from 'p-retry'
import * as z from 'zod/mini'
import { callsOver } from './calls.mjs'

const TIMEOUT_MS = 15_000
const RETRIES = 2

const price = z.looseObject({ usd: z.string(), etn: z.string() })
const candle = z.looseObject({
  time: z.number(),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number(),
  count: z.number(),
})
const schemas = {
  light: z.looseObject({ data: z.extend(price, { address: z.string() }) }),
  candles: z.looseObject({ data: z.array(candle) }),
  batch: z.looseObject({ data: z.record(z.string(), z.nullable(price)) }),
}

/** What a team writes without a client: ky sends, p-retry repeats, zod/mini checks. */
export function connect({ baseUrl, headers }) {
  const http = ky.create({ prefixUrl: baseUrl, headers, retry: 0, timeout: false, throwHttpErrors: false })

  async function attempt(path, schema) {
    const response = await http.get(path.slice(1), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) {
      const error = new Error(`The service answered ${response.status}.`)
      throw response.status === 429 || response.status >= 500 ? error : new AbortError(error)
    }
    const { success, data, error } = z.safeParse(schema, await response.json())
    if (!success) throw new AbortError(error)
    return data.data
  }

  return callsOver((path, workload) => pRetry(() => attempt(path, schemas[workload]), { retries: RETRIES }))
}
