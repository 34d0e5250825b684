import { JSON_FAULT_FIELDS } from '../../faults/check-fault.ts'
import type { FaultHandle, FaultOptions, ScriptStep } from '../../faults/fault-options.ts'
import { asOneOf } from '../../rules/check-options.ts'
import { type FakeOperation, fakeOperations } from '../../rules/routes.ts'
import { findMismatch } from '../../rules/validate-data.ts'
import type { FakeService } from '../../types.ts'
import type { Commands, Fields } from './command.ts'
import { page } from './page-of-list.ts'
import { createRegistry } from './registry.ts'

/** Faults, scripts and stubs. */
export function faultCommands(fake: FakeService): Commands {
  const body = ({ id, label, hits }: FaultHandle) => ({ id, label, hits })
  const stubs = createRegistry<() => void>('stub')
  return {
    'GET faults': {
      summary: 'The faults and scripts; `after` is the id of one.',
      fields: ['limit', 'after', 'last'],
      run: (given) => page(fake.faults().map(body), ({ id }) => id, given),
    },
    'POST faults': {
      summary: 'Adds a fault with the options of fake.fault; `times` may be "Infinity".',
      fields: JSON_FAULT_FIELDS,
      run: (given) => body(fake.fault(readFault(given))),
    },
    'DELETE faults/{id}': {
      summary: 'Removes a fault or a script.',
      fields: [],
      run(_, id) {
        const fault = fake.faults().find((one) => String(one.id) === id)
        if (!fault) throw new TypeError(`There is no fault ${id}.`)
        fault.remove()
        return body(fault)
      },
    },
    'POST script': {
      summary: 'Adds a script: one outcome for each request of an operation.',
      fields: ['operation', 'steps', 'key'],
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
      fields: ['operation', 'data', 'validate'],
      run: ({ operation, data, validate = true }) => {
        const name = asOneOf('operation', operation, fakeOperations)
        if (typeof validate !== 'boolean') throw new TypeError('validate is true or false.')
        // The data is known, so a mistake shows now and not at the call.
        const mismatch = validate && data !== undefined ? findMismatch(name, data) : undefined
        if (mismatch) throw new TypeError(`The stub of ${name} does not match the contract: ${mismatch}`)
        const remove = fake.stub(name, () => data, { validate })
        return { id: stubs.add(remove) }
      },
    },
    'DELETE stubs/{id}': {
      summary: 'Removes a stub.',
      fields: [],
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
