import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OperationParams } from 'etn-market'
import type { PlanLine } from '../plan-line.ts'
import { seriesIdOf } from '../series.ts'
import { openSeriesFile } from '../series-file.ts'
import { seriesName } from '../series-name.ts'
import { syncSeries } from '../sync-series.ts'
import { repeat, reportFailure } from './repeat.ts'
import { nameOf, type RunParts } from './run-parts.ts'

const DEFAULT_FOLDER = 'candles'
const DEFAULT_LIMIT = 100

/** Keeps a file of candles for each address of a line up to date. */
export function runCandles(line: PlanLine, parts: RunParts): Promise<void> {
  async function work(): Promise<void> {
    for (const address of line.addresses ?? []) {
      if (parts.signal.aborted) return
      await sync(address, line, parts).catch((error) => reportFailure(line, parts, error))
    }
  }
  return repeat(line, parts, { work, isFinishing: false })
}

async function sync(address: string, line: PlanLine, { client, clock, state, emit, file }: RunParts): Promise<void> {
  const { limit = DEFAULT_LIMIT, ...rest } = line.params as Partial<OperationParams['token.candles']>
  const id = seriesIdOf({ ...rest, address })
  const { bucket, currency } = id
  const named = file(seriesName(line.file ?? DEFAULT_FOLDER, id, line.count > 1))
  mkdirSync(dirname(named.path), { recursive: true })
  const series = await openSeriesFile(named, id)
  let credits = 0
  try {
    const { added, updated } = await syncSeries(series, {
      bucket,
      limit,
      now: clock.now() / 1_000,
      async buy(count) {
        const { data, meta } = await client.token
          .candles({ address, bucket, currency, limit: count }, { validate: 'strict' })
          .withMeta()
        credits += meta.credits.charged
        return data
      },
    })
    state.count(line, { done: 1 })
    emit({ event: 'candles', ...nameOf(line), address, file: named.name, added, updated, credits })
  } finally {
    series.close()
  }
}
