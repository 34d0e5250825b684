// The subpaths that name types of zod and TanStack Query, whose declarations need TypeScript 5.4. It is only type-checked.
import { createClient } from 'etn-market'
import { tokenPrice } from 'etn-market/schemas'
import { etnQueries } from 'etn-market/tanstack-query'

export const queries = etnQueries(createClient())

const usd: string | null | undefined = tokenPrice.data.parse({}).usd
// @ts-expect-error a price is a string
usd?.toFixed(2)
