/** What the contract states about one operation. */
export interface Operation {
  /** Path template below the base URL. `{chainId}` is 52014, the only chain. */
  readonly path: string
  /** Cost of a success in credits, or null when it is free. */
  readonly credits: CreditCost | null
  /** Occupies one of the two heavy slots. */
  readonly heavy?: true
  /** Needs no API key. */
  readonly keyless?: true
  /** The field that only a bare answer has, where the service may send the data without its envelope. */
  readonly bareField?: string
  /** The parameters except `chainId`, which is always 52014. */
  readonly params: readonly Param[]
}

/** The cost of a success in credits: base + perItem × items. A flat price has only a base. */
export interface CreditCost {
  /** Credits for the answer itself. */
  readonly base: number
  /** Credits for each item. */
  readonly perItem?: number
  /** Where the charged items are: `data`, `data.balances` or `query.addresses`. */
  readonly items?: string
  /** The largest number of items in one request. */
  readonly maxItems?: number
}

/** A parameter of an operation. */
export type Param = ParamPlace & ParamRule

/** Where a parameter goes. */
export interface ParamPlace {
  /** The name in the call and in the URL. */
  readonly name: string
  /** Present for a parameter of the query; the others are part of the path. */
  readonly query?: true
  /** Present where the parameter cannot be left out. */
  readonly required?: true
}

/** What the value of a parameter must be. */
export type ParamRule = AddressRule | LimitRule | ChoiceRule

/** One address, or a list of addresses. */
export interface AddressRule {
  /** The form of the value. */
  readonly kind: 'address' | 'addresses'
}

/** A whole number from 1 to `max`. */
export interface LimitRule {
  /** The form of the value. */
  readonly kind: 'limit'
  /** The largest value. */
  readonly max: number
}

/** One of some values. */
export interface ChoiceRule {
  /** The form of the value. */
  readonly kind: 'choice'
  /** The allowed values. */
  readonly values: readonly (string | number)[]
  /** What the service takes when the parameter is left out. */
  readonly default?: string | number
  /** Present where any case of letters is accepted; the value is sent in upper case. */
  readonly anyCase?: true
}

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
