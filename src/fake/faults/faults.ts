import { isPromise } from '../../utils/runtime.ts'
import { hash, hashText, unit } from '../data/random.ts'
import { given } from '../rules/check.ts'
import type { FakeOperation } from '../rules/routes.ts'
import { combine } from './effects.ts'
import {
  checkFault,
  checkScript,
  type FakeRequest,
  type FaultEffects,
  type FaultHandle,
  type FaultMatch,
  type FaultOptions,
  type ScriptOptions,
  type ScriptStep,
} from './fault-options.ts'

/** A fault and its counters; plain data but for functions of the user. */
interface FaultState {
  id: number
  /** Its number among those of the same state, so that equal tests draw the same after a reset. */
  draw: number
  label: string
  match: FaultMatch
  /** One for every hit of a script; a single one for a fault. */
  steps: readonly ScriptStep[]
  hits: number
  seen: number
  times: number
  /** Whether it should have hit, but another fault decided the content. */
  isPending: boolean
}

export class Faults {
  readonly #faults = new Map<number, FaultState>()
  readonly #noise: number
  readonly #listKey: (key: string) => string
  #added = 0

  /** @param listKey masks keys that are not the fake's own */
  constructor(seed: number | string, listKey: (key: string) => string) {
    this.#noise = hash(hashText(String(seed)), 200)
    this.#listKey = listKey
  }

  add(fault: FaultOptions): FaultHandle {
    checkFault(fault)
    const options = given(fault)
    const { operation, key, when, nth, probability, ...rest } = options
    const usual = nth !== undefined ? [nth].flat().length : probability === undefined ? 1 : Number.POSITIVE_INFINITY
    const { times = usual, ...effects } = rest
    const match = { operation, key, when, nth, probability } as FaultMatch
    return this.#insert(describeFault(options, this.#listKey), match, [effects], times)
  }

  script(operation: FakeOperation, steps: readonly ScriptStep[], options: ScriptOptions = {}): FaultHandle {
    checkScript(operation, steps, options)
    const outcomes = steps.map((step) => (step === 'ok' ? step : given(step)))
    const texts = outcomes.map((outcome) => (outcome === 'ok' ? outcome : describeEffects(outcome)))
    const label = `script [${texts.join(' | ')}] on ${operation}`
    return this.#insert(label, { operation, ...options }, outcomes, steps.length)
  }

  /**
   * The effects of the active faults that match a request, combined in the order in which they were made.
   * @param note gets the labels of these faults
   */
  match(
    called: Pick<FakeRequest, 'operation' | 'key'>,
    request: () => FakeRequest,
    note: (labels: string) => void,
  ): FaultEffects | Promise<FaultEffects> {
    const candidates = [...this.#faults.values()].filter(({ hits, times, match: { operation, key } }) => {
      const isForOperation = operation === undefined || [operation].flat().includes(called.operation)
      return hits < times && isForOperation && (key === undefined || key === called.key)
    })
    const wanted = candidates.map(({ match }) => (match.when ? match.when(request()) : true))
    if (!wanted.some(isPromise)) return this.#select(candidates, wanted, note)
    return Promise.all(wanted).then((results) => this.#select(candidates, results, note))
  }

  /** Active and used up ones, without removed ones. */
  list(): FaultHandle[] {
    return [...this.#faults.values()].map((one) => this.#handleOf(one))
  }

  unused(): FaultState[] {
    return [...this.#faults.values()].filter(({ hits, times, match }) => {
      const isCertain = Number.isFinite(times) && match.probability === undefined
      return isCertain ? hits < times : hits === 0
    })
  }

  /** For snapshots. A fault stays the same object, so that its handle goes on to count and to remove it. */
  get state() {
    return [...this.#faults.values()].map((fault) => ({ fault, counted: { ...fault } }))
  }

  set state(state: readonly { fault: FaultState; counted: FaultState }[]) {
    this.#faults.clear()
    for (const { fault, counted } of state) this.#faults.set(fault.id, Object.assign(fault, counted))
  }

  #insert(label: string, match: FaultMatch, steps: readonly ScriptStep[], times: number): FaultHandle {
    const draw = 1 + Math.max(0, ...[...this.#faults.values()].map((one) => one.draw))
    const state = { id: ++this.#added, draw, label, match, steps, times, hits: 0, seen: 0, isPending: false }
    this.#faults.set(state.id, state)
    return this.#handleOf(state)
  }

  #handleOf(fault: FaultState): FaultHandle {
    return {
      id: fault.id,
      label: fault.label,
      get hits() {
        return fault.hits
      },
      remove: () => void this.#faults.delete(fault.id),
    }
  }

  #select(candidates: FaultState[], isWanted: readonly unknown[], note: (labels: string) => void): FaultEffects {
    let effects: FaultEffects = {}
    const labels: string[] = []
    for (const [i, fault] of candidates.entries()) {
      // It may have been used up or removed while a function of the user was awaited.
      if (!isWanted[i] || fault.hits >= fault.times || !this.#faults.has(fault.id) || !this.#isDue(fault)) continue
      const step = fault.steps[Math.min(fault.hits, fault.steps.length - 1)] ?? 'ok'
      const combined = combine(effects, step === 'ok' ? {} : step)
      fault.isPending = combined === undefined
      if (!combined) continue
      fault.hits++
      effects = combined
      if (step !== 'ok') labels.push(fault.label)
    }
    if (labels.length > 0) note(labels.join('; '))
    return effects
  }

  #isDue(fault: FaultState): boolean {
    fault.seen++
    if (fault.isPending) return true
    const { nth, probability = 1 } = fault.match
    if (nth !== undefined && ![nth].flat().includes(fault.seen)) return false
    // Drawn from the fault's own counter, so that other faults and calls do not change the result.
    return unit(this.#noise, fault.draw, fault.seen) < probability
  }
}

/** A fault in a few words; `listKey` masks keys that are not the fake's own. */
function describeFault(options: FaultOptions, listKey: (key: string) => string): string {
  const { operation, key, when, nth, times: _, probability, ...effects } = options
  const where = [
    operation === undefined ? 'any operation' : [operation].flat().join(' or '),
    key === undefined ? '' : `of key ${listKey(key)}`,
    nth === undefined ? '' : `call ${[nth].flat().join(', ')}`,
    when === undefined ? '' : 'selected by a function',
    probability === undefined ? '' : `with probability ${probability}`,
  ]
  return `${describeEffects(effects)} on ${where.filter((part) => part !== '').join(' ')}`
}

function describeEffects(effects: object): string {
  const show = (value: unknown) => (typeof value === 'function' ? '(…)' : JSON.stringify(value))
  const all = Object.entries(effects).map(([name, value]) => `${name} ${show(value)}`)
  return all.join(', ')
}
