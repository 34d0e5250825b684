/** What the contract says of one operation. */
export interface Operation {
  /** Path template below the base URL. `{chainId}` is 52014, the only chain. */
  readonly path: string
  /** Cost of a success in credits, or null when it is free. */
  readonly credits: CreditCost | null
  /** Takes one of the two heavy slots. */
  readonly heavy?: true
  /** Is called without an API key. */
  readonly keyless?: true
  /** The field that tells a bare answer from the envelope, where the service may send either. */
  readonly bareField?: string
  /** The parameters, `chainId` aside: it is always 52014. */
  readonly params: readonly Param[]
}

/** base + perItem for each item found at `items`, of which there are at most `maxItems` in one request; a flat price has only a base. */
export interface CreditCost {
  readonly base: number
  readonly perItem?: number
  /** Where the charged items stand: `data`, `data.balances` or `query.addresses`. */
  readonly items?: string
  readonly maxItems?: number
}

/** A parameter: in the query where it says so, else in the path. */
export type Param = {
  readonly name: string
  readonly query?: true
  readonly required?: true
} & (
  | { readonly kind: 'address' | 'addresses' }
  | { readonly kind: 'limit'; readonly max: number }
  | {
      readonly kind: 'choice'
      readonly values: readonly (string | number)[]
      /** Accepted in any case of letters, sent in upper case. */
      readonly anyCase?: true
    }
)
