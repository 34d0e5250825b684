import type { ParamRule } from './operation.ts'

const ADDRESS = '0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case'

/** The rule in words, as the end of the sentence "must be …". */
export function ruleOf(rule: ParamRule): string {
  switch (rule.kind) {
    case 'address':
      return ADDRESS
    case 'addresses':
      return `a list of addresses, each ${ADDRESS}`
    case 'limit':
      return `a whole number from 1 to ${rule.max}`
    case 'choice':
      return `one of ${rule.values.join(', ')}${rule.anyCase ? ', in any case of letters' : ''}`
  }
}
