import type { FaultOptions, ScriptStep } from './fault-options.ts'

/** A fault in a few words; `listKey` masks keys that are not the fake's own. */
export function describeFault(options: FaultOptions, listKey: (key: string) => string): string {
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

export function describeScript(operation: string, steps: readonly ScriptStep[]): string {
  const all = steps.map((step) => (step === 'ok' ? 'ok' : describeEffects(step)))
  return `script [${all.join(' | ')}] on ${operation}`
}

function describeEffects(effects: object): string {
  const all = Object.entries(effects).map(
    ([name, value]) => `${name} ${typeof value === 'function' ? '(…)' : JSON.stringify(value)}`,
  )
  return all.join(', ')
}
