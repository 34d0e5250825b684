import type { FaultHandle, FaultOptions, ScriptStep } from '../../faults/fault-options.ts'
import { cut, FakeUsageError } from '../../rules/check-options.ts'
import type { FakeOperation } from '../../rules/routes.ts'
import { findMismatch, flag, object, text } from '../../rules/schema.ts'
import type { FakeService } from '../../types.ts'
import { type Commands, type Fields, PAGE, page, Registry } from './commands.ts'
import { ref } from './schemas.ts'

/** Faults, scripts and stubs. */
export function faultCommands(fake: FakeService): Commands {
  const body = ({ id, label, hits }: FaultHandle) => ({ id, label, hits })
  const stubs = new Registry<() => void>('stub')
  return {
    'GET faults': {
      summary: 'The faults and scripts; `after` is the id of one.',
      takes: object(PAGE),
      answers: { type: 'array', items: ref('FaultHandle') },
      run: (given) => page(fake.faults().map(body), ({ id }) => id, given),
    },
    'POST faults': {
      summary: 'Adds a fault with the options of fake.fault; `times` may be "Infinity".',
      takes: ref('Fault'),
      answers: ref('FaultHandle'),
      run: (given) => body(fake.fault(readFault(given))),
    },
    'DELETE faults/{id}': {
      summary: 'Removes a fault or a script.',
      answers: ref('FaultHandle'),
      run(_, id) {
        const fault = fake.faults().find((one) => String(one.id) === id)
        if (!fault) throw new FakeUsageError(`There is no fault ${cut(id)}.`)
        fault.remove()
        return body(fault)
      },
    },
    'POST script': {
      summary: 'Adds a script: one outcome for each request of an operation.',
      takes: object(
        {
          operation: ref('Operation'),
          steps: { type: 'array', items: { anyOf: [{ type: 'string', enum: ['ok'] }, ref('Effects')] }, minItems: 1 },
          key: text,
        },
        ['operation', 'steps'],
      ),
      answers: ref('FaultHandle'),
      run: ({ operation, steps, key }) =>
        body(
          fake.script(
            operation as FakeOperation,
            steps as ScriptStep[],
            key === undefined ? {} : { key: key as string },
          ),
        ),
    },
    'POST stubs': {
      summary: 'Replaces the data of an operation; without `data` it answers 404.',
      takes: object({ operation: ref('Operation'), data: {}, validate: flag }, ['operation']),
      answers: ref('Id'),
      run: ({ operation, data, validate = true }) => {
        const name = operation as FakeOperation
        // The data is known, so a mistake shows now and not at the call.
        const mismatch = validate && data !== undefined ? findMismatch(name, data) : undefined
        if (mismatch) throw new FakeUsageError(`The stub of ${name} does not match the contract: ${mismatch}`)
        const remove = fake.stub(name, () => data, { validate: validate === true })
        return { id: stubs.add(remove) }
      },
    },
    'DELETE stubs/{id}': {
      summary: 'Removes a stub.',
      answers: ref('Removed'),
      run(_, id) {
        stubs.take(id)()
        return { removed: Number(id) }
      },
    },
  }
}

/** JSON has no Infinity, so the string "Infinity" is accepted. */
function readFault(given: Fields): FaultOptions {
  const times = given.times === 'Infinity' ? { times: Number.POSITIVE_INFINITY } : {}
  return { ...given, ...times } as FaultOptions
}
