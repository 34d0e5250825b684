import { arrive, type Incoming, type Visit } from './arrive.ts'
import { type Decision, decide } from './decide.ts'
import { type Ending, endingOf, outcry, preempts, spoil } from './effects.ts'
import type { FaultEffects } from './fault-options.ts'
import { failure, preflight, type Reply, sealed, success } from './reply.ts'
import { fakeRoutes } from './routes.ts'
import type { Run } from './run.ts'
import type { Time } from './time.ts'

/** An answer as every shell gets it: what to say, how it ends, and whom to tell. */
export interface Exchange {
  reply: Reply
  ending: Ending
  /** The whole answer was handed over. */
  delivered(): void
  /** Waits for the caller to give up, or for the service to be closed: rejects with the reason. */
  hang(signal: AbortSignal | undefined): Promise<void>
  /** Nothing more comes: frees what the request held. Counts once. */
  finish(): void
}

const NOTHING: Reply = { status: 0, headers: [], body: null }

/** One request, from arrival to answer. Rejects when the caller gave up or the service was closed meanwhile. */
export async function answer(run: Run, time: Time, incoming: Incoming): Promise<Exchange> {
  const { cors } = run.settings
  const hang = (signal: AbortSignal | undefined) => time.wait(Number.POSITIVE_INFINITY, signal)
  if (incoming.method === 'OPTIONS' && cors !== false) {
    const reply = preflight(cors, run.now(), incoming.headers.get('access-control-request-headers'))
    return { reply, ending: { kind: 'whole' }, delivered() {}, hang, finish() {} }
  }
  const visit = arrive(run, incoming)
  let decision: Decision | undefined
  const finish = () => leave(run, visit, decision)
  try {
    const effects = strike(run, visit)
    decision = preempts(effects) ? undefined : consider(run, visit, effects)
    const latency = latencyOf(run, visit, decision, effects)
    if (latency > 0) await time.wait(latency, incoming.signal)
    const said = outcry(effects) ?? (decision ? replyTo(decision) : NOTHING)
    const reply = spoil(sealed(said, run.now(), cors), effects, run.now())
    const ending = endingOf(effects, reply)
    if (ending.kind !== 'reset') Object.assign(visit.entry, { status: reply.status, code: reply.code ?? null })
    return { reply, ending, delivered: () => markDelivered(visit, decision, said), hang, finish }
  } catch (error) {
    finish()
    throw error
  }
}

/** The fault that hits this request, if one does. */
function strike(run: Run, { entry, view }: Visit): FaultEffects {
  const fault = view && run.faults.strike(view)
  if (!fault) return {}
  entry.fault = fault.label
  return fault.options
}

function consider(run: Run, { match, lost, query, entry }: Visit, { charge }: FaultEffects): Decision | undefined {
  if (lost) return { refusal: lost }
  if (!match) return undefined
  const call = { match, query, key: entry.key ?? undefined, request: entry.id }
  const decision = decide(run, call, charge !== false)
  if (!decision.refusal && decision.charge) entry.credits = decision.charge.credits
  return decision
}

function latencyOf(
  { settings }: Run,
  { match }: Visit,
  decision: Decision | undefined,
  { never, delayMs = 0 }: FaultEffects,
): number {
  if (never) return Number.POSITIVE_INFINITY
  const executed = decision !== undefined && !decision.refusal
  const heavy = executed && match && fakeRoutes[match.operation].heavy
  return settings.latencyMs + (heavy ? settings.heavyLatencyMs : 0) + delayMs
}

function replyTo(decision: Decision): Reply {
  return decision.refusal ? failure(decision.refusal) : success(decision.data, decision.cursor, decision.receipt)
}

function markDelivered({ entry }: Visit, decision: Decision | undefined, said: Reply): void {
  entry.delivered = true
  if (decision && !decision.refusal && decision.charge) decision.charge.delivered = said.status === 200
}

function leave(run: Run, { entry }: Visit, decision: Decision | undefined): void {
  if (entry.finished) return
  run.journal.close(entry)
  if (decision && !decision.refusal) decision.free()
  run.settings.log?.(lineOf(entry))
}

function lineOf({ id, method, path, status, code, credits, fault }: Visit['entry']): string {
  const outcome = status === null ? 'no answer' : code === null ? String(status) : `${status} ${code}`
  return `#${id} ${method} ${path}: ${outcome}, ${credits} credits${fault === null ? '' : ` [${fault}]`}`
}
