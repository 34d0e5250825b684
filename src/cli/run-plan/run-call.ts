import { methodOf } from '../operation-method.ts'
import type { PlanLine } from '../plan-line.ts'
import { appendLine } from './append-line.ts'
import { repeat } from './repeat.ts'
import { nameOf, type RunParts, toIso } from './run-parts.ts'

/** Makes the calls of a line that has no addresses. */
export function runCall(line: PlanLine, parts: RunParts): Promise<void> {
  const { client, clock, state, emit, signal } = parts
  async function work(): Promise<void> {
    for (let number = 0; number < line.count && !signal.aborted; number++) {
      const at = toIso(clock.now())
      // Without the signal: what is in flight is waited for.
      const { data, meta } = await methodOf(client, line.operation)(line.params, {}).withMeta()
      state.count(line, { done: 1 })
      emit({ event: 'answer', ...nameOf(line), params: line.params, data, credits: meta.credits.charged, at })
      appendLine(line, parts, { at, operation: line.operation, params: line.params, data })
    }
  }
  return repeat(line, parts, { work, isFinishing: false })
}
