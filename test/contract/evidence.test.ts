import { describe, expect, test } from 'vitest'
import { readSources } from '../../src/contract/generator/generate.ts'
import { readModel } from '../../src/contract/generator/read-contract.ts'
import type { Shape } from '../../src/contract/generator/shape.ts'
import { answerSchemas } from '../../src/generated/answer-schemas.ts'
import { answerGuards } from '../../src/generated/guards.ts'
import type { OperationId } from '../../src/generated/operations.ts'
import { EVIDENCE, TYPES } from './evidence-table.ts'

const model = readModel(readSources().contract)
const shapes = new Map(model.shapes.map(({ name, shape }) => [name, shape]))

/** Every field below a shape, as `place grade`. */
function fieldsOf(shape: Shape, at = ''): string[] {
  switch (shape.kind) {
    case 'ref':
      return fieldsOf(shapes.get(shape.name)!, at)
    case 'array':
      return fieldsOf(shape.items, `${at}[]`)
    case 'nullable':
      return fieldsOf(shape.of, at)
    case 'record':
      return fieldsOf(shape.values, `${at}{}`)
    case 'object':
      return shape.fields.flatMap((field) => {
        const place = at === '' ? field.name : `${at}.${field.name}`
        return [`${place} ${field.evidence}`, ...fieldsOf(field.shape, place)]
      })
    default:
      return []
  }
}

const expectedOf = (id: OperationId) =>
  Object.entries(EVIDENCE[id]).flatMap(([grade, fields]) => fields.split(/\s+/).map((field) => `${field} ${grade}`))

describe('the contract has every known field of the answer with its grade, and no others:', () => {
  test.each(model.operations.map((operation) => [operation.id as OperationId, operation.data] as const))(
    '%s',
    (id, data) => {
      expect(fieldsOf(data).sort()).toEqual(expectedOf(id).sort())
    },
  )
})

test('envelopes: data is observed; the cursor of a list is documented, and null except for trade.list', () => {
  const cursors = model.operations.map(({ id, envelope, data }) => {
    const fields = envelope.kind === 'object' ? envelope.fields : []
    const cursor = fields.find(({ name }) => name === 'cursor')
    expect(fields.find(({ name }) => name === 'data')).toMatchObject({ required: true, evidence: 'observed' })
    const isList = data.kind === 'array'
    expect(cursor, id).toMatchObject({ required: isList, evidence: isList ? 'documented' : 'observed' })
    return cursor?.shape.kind === 'nullable' ? id : undefined
  })
  expect(cursors.filter((id) => id !== undefined)).toEqual(['trade.list'])
})

test('the error envelope has code and message, both observed', () => {
  expect(fieldsOf(shapes.get('ErrorEnvelope')!)).toEqual([
    'error observed',
    'error.code observed',
    'error.message observed',
  ])
})

const VALUES: Record<string, unknown> = {
  ...{ string: 'x', number: 1.5, integer: 1, unixSeconds: 1, boolean: true, object: {}, null: null },
  ...{ decimal: '0.0431328059369531392178303', hexNumber: '0x0', wholeNumber: '0' },
}

/** An answer with every field, made from the contract's shapes alone. */
function sample(shape: Shape): unknown {
  switch (shape.kind) {
    case 'ref':
      return sample(shapes.get(shape.name)!)
    case 'array':
      return [sample(shape.items)]
    case 'record':
      return { '0x043faa1b5c5fc9a7dc35171f290c29ecde0ccff1': sample(shape.values) }
    case 'openEnum':
      return shape.values[0]
    case 'object':
      return Object.fromEntries(shape.fields.map((field) => [field.name, sample(field.shape)]))
    case 'nullable':
      return sample(shape.of)
    case 'primitive':
      return VALUES[shape.types[0]!]
  }
}

function put(data: unknown, place: string, value: unknown): unknown {
  const [key, ...rest] = place.split(/\.|(?=\[\])|(?=\{\})/).filter((step) => step !== '')
  if (key === undefined) return value
  if (key === '[]') return (data as unknown[]).map((item) => put(item, rest.join('.'), value))
  const fields = data as Record<string, unknown>
  const names = key === '{}' ? Object.keys(fields) : [key]
  const changed = names.map((name) => [name, put(fields[name], rest.join('.'), value)])
  return { ...fields, ...Object.fromEntries(changed) }
}

/** Whether guard and schema accept the data; they must agree. */
function isAccepted(id: OperationId, data: unknown): boolean {
  const envelope = { data, cursor: null }
  const accepted = answerGuards[id](envelope)
  expect(
    answerSchemas[id].safeParse(envelope).success,
    `the guard of ${id} gives ${accepted} for ${JSON.stringify(data)}`,
  ).toBe(accepted)
  return accepted
}

describe('guards and schemas', () => {
  const data = new Map(model.operations.map(({ id, data }) => [id, data]))

  test.each(Object.keys(EVIDENCE) as OperationId[])(
    '%s: accept an answer of the contract and keep unknown fields',
    (id) => {
      const answer = sample(data.get(id)!)
      expect(isAccepted(id, answer)).toBe(true)
      const more = { data: answer, cursor: null, more: 1 }
      expect(answerSchemas[id].safeParse(more)).toMatchObject({ success: true, data: { more: 1 } })
    },
  )

  test.each(Object.keys(EVIDENCE) as OperationId[])(
    '%s: accept a missing or null field where its grade allows it',
    (id) => {
      const answer = sample(data.get(id)!)
      const wrong = expectedOf(id).flatMap((line) => {
        const [place = '', grade] = line.split(' ')
        const certain = grade === 'documented' || grade === 'observed'
        const mayBeMissing = !certain || /^(\{\}\.)?(usd|etn)$/.test(place)
        const taken = isAccepted(id, put(answer, place, undefined))
        return taken === mayBeMissing && (certain || isAccepted(id, put(answer, place, null))) ? [] : [line]
      })
      expect(wrong).toEqual([])
    },
  )

  const JUNK = [undefined, null, 'x', '', 0, 1.5, -1, 1e300, true, [], {}, [null], [{}], { a: null }, { a: {} }]

  test.each(Object.keys(EVIDENCE) as OperationId[])('%s: agree on every junk value in every field', (id) => {
    const answer = sample(data.get(id)!)
    const places = ['', ...expectedOf(id).map((line) => line.split(' ')[0] ?? '')]
    const taken = places.flatMap((place) => JUNK.filter((value) => isAccepted(id, put(answer, place, value))))
    expect(taken.length).toBeLessThan(places.length * JUNK.length)
  })

  test.each(Object.keys(EVIDENCE) as OperationId[])('%s: accept the envelopes of the operation only', (id) => {
    const answer = sample(data.get(id)!)
    const isList = data.get(id)?.kind === 'array'
    for (const [envelope, right] of [
      [{ data: answer }, !isList],
      [{ data: answer, cursor: null }, true],
      [{ data: answer, cursor: 'next' }, id === 'trade.list'],
      [{ data: answer, cursor: 5 }, false],
      [{ cursor: null }, false],
      [[], false],
      [null, false],
    ] as const) {
      expect([answerGuards[id](envelope), answerSchemas[id].safeParse(envelope).success]).toEqual([right, right])
    }
  })

  test.each(TYPES)('%s %s: accept values of the stated type only', (id, place, right, wrong) => {
    const answer = sample(data.get(id)!)
    expect(right.filter((value) => !isAccepted(id, put(answer, place, value)))).toEqual([])
    expect(wrong.filter((value) => isAccepted(id, put(answer, place, value)))).toEqual([])
  })
})
