import type { Param } from './operation.ts'

const ADDRESS = '0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case'

/** What a parameter must be, as the end of the sentence "must be …". */
export function ruleOf(param: Param): string {
  switch (param.kind) {
    case 'address':
      return ADDRESS
    case 'addresses':
      return `a list of one or more addresses, each ${ADDRESS}`
    case 'limit':
      return `a whole number from 1 to ${param.max}`
    case 'choice':
      return `one of ${param.values.join(', ')}${param.anyCase ? ', in any case of letters' : ''}`
  }
}
