import { type OperationId, operations } from '../generated/operations.ts'
import type { ChoiceRule, Operation } from './operation.ts'

type ParamOf<Id extends OperationId> = (typeof operations)[Id]['params'][number]

/** What the service takes for a parameter that is left out. */
export function defaultOf<Id extends OperationId, Name extends ParamOf<Id>['name']>(
  operation: Id,
  name: Name,
): Extract<ParamOf<Id>, { name: Name; default: unknown }>['default'] {
  const { params }: Operation = operations[operation]
  const param = params.find((each) => each.name === name) as Partial<ChoiceRule> | undefined
  return param?.default as never
}
