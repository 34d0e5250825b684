import type { CreditCost } from '../../operations/operation.ts'
import { HEADER, typeOf } from './emit-types.ts'
import type { OperationModel } from './operation.ts'
import type { Model } from './read-contract.ts'

/** The table that the request steps and the estimator read. */
export function emitOperations(model: Model): string {
  const rows = model.operations.map((operation) => `  '${operation.id}': ${JSON.stringify(row(operation))},\n`).join('')
  return [
    HEADER,
    "import type { Operation } from '../operations/operation.ts'\n",
    `const table = {\n${rows}} as const satisfies Record<string, Operation>\n`,
    '/** Every operation of the contract: its path, parameters and cost in credits. */',
    'export const operations: typeof table = table\n',
    `/** The only chain. */\nexport const CHAIN_ID = ${chainId(model)}\n`,
    '/** The name of an operation, `group.action`. */\nexport type OperationId = keyof typeof operations\n',
  ].join('\n')
}

function chainId(model: Model): number {
  for (const { params } of model.operations) {
    for (const { type } of params) if (type.kind === 'chain') return type.id
  }
  throw new Error('No operation has a chain.')
}

/** Leaves defaults out: every bundle contains the table. */
function row({ path, credits, heavy, needsKey, bareField, params }: OperationModel): object {
  return {
    path,
    credits,
    ...(heavy && { heavy }),
    ...(!needsKey && { keyless: true }),
    ...(bareField !== null && { bareField }),
    params: params
      .filter(({ type }) => type.kind !== 'chain')
      .map(({ name, in: where, required, type }) => ({
        name,
        ...(where === 'query' && { query: true }),
        ...(required && { required }),
        ...(type.kind === 'addresses' ? { kind: type.kind } : type),
      })),
  }
}

/** Apart from the table of operations, so that only what caches answers contains it. */
export function emitFreshness(model: Model): string {
  const rows = model.operations.map(({ id, freshSeconds }) => `  '${id}': ${1_000 * freshSeconds},\n`).join('')
  return [
    HEADER,
    "import type { OperationId } from './operations.ts'\n",
    '/** For how long an answer of each operation is shown before it is bought again, milliseconds; 0 for never. */',
    `export const FRESHNESS_MS: Readonly<Record<OperationId, number>> = {\n${rows}}\n`,
  ].join('\n')
}

/**
 * The typed methods. Editors show the text of a property in lists, and that of a signature at a call: each has both. The types have no
 * names, so that declarations of a user need none of them.
 */
export function emitMethods(model: Model): string {
  const groups = [...model.groups].map(([group, description]) => {
    const methods = model.operations
      .filter((operation) => operation.group === group)
      .map((operation) => emitMethod(operation, model))
      .join('')
    return `  /** ${description}. */\n  readonly ${group}: {\n${methods}  }\n`
  })
  return [
    HEADER,
    "import type { ApiPromise, OperationTools, PartialBatch } from '../client/api-promise.ts'",
    "import type { BatchOptions, CallOptions } from '../client/options.ts'",
    `import type { ${typeNames(model).join(', ')} } from './types.ts'\n`,
    '/** Every operation of the contract, as `client.group.action`. */',
    `export interface Methods {\n${groups.join('')}}\n`,
  ].join('\n')
}

function emitMethod(operation: OperationModel, model: Model): string {
  const params = paramsOf(operation)
  const data = resultOf(operation)
  const isOptional = !operation.params.some((param) => param.required && param.type.kind !== 'chain')
  const tools = `OperationTools<${params}, ${data}${isOptional ? `, [params?: ${params}]` : ''}>`
  const calls = isBatch(operation)
    ? BATCH_CALLS
    : [`(params${isOptional ? '?' : ''}: ${params}, options?: CallOptions): ApiPromise<${data}>`]
  const summary = summaryOf(operation, model)
  const doc = comment([...summary, ...detailsOf(operation)], 6)
  const signatures = calls.map((call) => `${doc}      ${call}\n`).join('')
  return `${comment(summary, 4)}    readonly ${operation.action}: ${tools} & {\n${signatures}    }\n`
}

const paramsOf = ({ id }: OperationModel) => `OperationParams['${id}']`

const BATCH_PARAMS = "params: Omit<OperationParams['prices.batch'], 'addresses'> & { addresses: readonly Address[] }"
/** The spelling of the addresses is kept in the type of the answer. */
const BATCH_CALLS = [
  `<const Address extends string>(${BATCH_PARAMS}, options: BatchOptions & { partial: 'return' }): ApiPromise<PartialBatch<Address>>`,
  `<const Address extends string>(${BATCH_PARAMS}, options?: BatchOptions & { partial?: 'throw' | undefined }): ApiPromise<Record<Address, TokenPrice | null>>`,
]

function summaryOf(operation: OperationModel, model: Model): string[] {
  const result = isBatch(operation)
    ? 'a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price'
    : `\`${resultOf(operation)}\``
  const cost = `Cost: ${costText(operation.credits)}. Resolves to ${result}; ${evidenceText(operation, model)}.`
  return [operation.summary, ...(operation.description ? ['', operation.description] : []), '', cost]
}

function detailsOf(operation: OperationModel): string[] {
  const partial =
    "@throws PartialBatchError when some of several requests failed: it has the prices that were paid for. With `partial: 'return'` the call resolves with them."
  return [
    '',
    `\`GET ${operation.path}\``,
    `@param params ${paramsText(operation)}`,
    `@param options options for this call only: \`signal\`, \`timeoutMs\`, \`retry\` and so on`,
    '@throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.',
    '@throws InvalidRequestError for a parameter that is not accepted, before anything is sent.',
    ...(isBatch(operation) ? [partial] : []),
  ]
}

function paramsText({ params }: OperationModel): string {
  const own = params.filter(({ type }) => type.kind !== 'chain')
  const namesOf = (isRequired: boolean) =>
    own.flatMap(({ name, required }) => (required === isRequired ? [`\`${name}\``] : [])).join(', ')
  const [needed, optional] = [namesOf(true), namesOf(false)]
  if (own.length === 0) return 'none: the operation takes no parameters'
  if (optional === '') return needed
  return needed === '' ? `optional: ${optional}` : `${needed}; optional: ${optional}`
}

function comment(lines: readonly string[], indent: number): string {
  const margin = ' '.repeat(indent)
  return `${margin}/**\n${lines.map((line) => `${margin} *${line ? ` ${line}` : ''}\n`).join('')}${margin} */\n`
}

/** Sent in several requests, whose answers are put together. */
const isBatch = ({ credits }: OperationModel) => credits?.items?.startsWith('query.') === true

const resultOf = (operation: OperationModel) =>
  isBatch(operation) ? 'Record<string, TokenPrice | null>' : typeOf(operation.data)

function typeNames(model: Model): string[] {
  const names = model.operations.flatMap(
    (operation) =>
      resultOf(operation)
        .replace('Record<', '')
        .match(/\b[A-Z]\w+/g) ?? [],
  )
  return [...new Set(['OperationParams', ...names])].sort()
}

function costText(credits: CreditCost | null): string {
  if (credits === null) return 'free'
  const { base, perItem, items } = credits
  if (items === undefined) return `${base} credits`
  const unit = items.startsWith('query.') ? 'address' : 'item'
  return `${base} credits + ${perItem} for each ${unit}, at most ${mostOf(credits)}${unit === 'address' ? ' for each 50 addresses' : ''}`
}

const mostOf = ({ base, perItem = 0, maxItems = 0 }: CreditCost) => base + perItem * maxItems

function evidenceText(operation: OperationModel, model: Model): string {
  const name = typeOf(operation.data).match(/\b[A-Z]\w+/)?.[0]
  const shape = model.shapes.find((named) => named.name === name)?.shape
  const grades = shape?.kind === 'object' ? [...new Set(shape.fields.map((field) => field.evidence))] : ['observed']
  return `evidence: ${grades.join(', ')}`
}

export function emitTable(model: Model): string {
  const rows = model.operations.map((operation) => {
    const { credits } = operation
    const parameters = operation.params
      .filter(({ type }) => type.kind !== 'chain')
      .map(({ name, required }) => (required ? name : `${name}?`))
    const cells = [
      `\`${operation.id}\`${operation.heavy ? ' (heavy)' : ''}`,
      parameters.join(', ') || '–',
      operation.summary.replace(/[;:.].*$/, ''),
      credits === null ? 'free' : credits.base.toLocaleString('en-US'),
      credits?.perItem ? String(credits.perItem) : '–',
      credits === null ? '0' : mostOf(credits).toLocaleString('en-US'),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Operation | Parameters | What it answers | Base | Per item | Most it can cost |',
    '|---|---|---|---:|---:|---:|',
    ...rows,
  ].join('\n')
}
