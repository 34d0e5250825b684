/** What the contract says of one operation. */
export interface Operation {
  /** Path template below the base URL. */
  readonly path: string
  /** What it answers, in a sentence. */
  readonly summary: string
  /** Cost of a success in credits, or null when it is free. */
  readonly credits: CreditCost | null
  /** Whether it takes one of the two heavy slots. */
  readonly heavy: boolean
  /** Whether it is called with an API key. */
  readonly needsKey: boolean
  /** The field that tells a bare answer from the envelope, where the service may send either. */
  readonly bareField: string | null
  readonly params: readonly Param[]
}

/** base + perItem for each item found at `items`, of which there are at most `maxItems` in one request. */
export interface CreditCost {
  readonly base: number
  readonly perItem: number
  /** Where the charged items stand: `data`, `data.balances`, `query.addresses`, or null for a flat price. */
  readonly items: string | null
  readonly maxItems: number
}

export interface Param {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly kind: 'chain' | 'address' | 'addresses' | 'limit' | 'choice'
  /** Accepted in any case of letters, sent in upper case. */
  readonly anyCase: boolean
  /** Largest value, where there is one. */
  readonly max?: number
  /** What it must be, as the end of the sentence "must be …". */
  readonly rule: string
}
