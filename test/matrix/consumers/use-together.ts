// The entries whose declarations name no other package, at once: they must mean the same client and the same base class of errors. It is only
// type-checked.
import { createBudget, createClient, type EtnMarketError } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createFileStore, type FileStoreError } from 'etn-market/node'
import { createProxy } from 'etn-market/proxy'

export const client = createClient({ budget: createBudget({ credits: 1, store: createFileStore('budget.json') }) })
export const feed = createPriceFeed(client)
export const proxy = createProxy({ client, allow: ['token.price'], budget: false })
export const codeOf = (error: EtnMarketError): string => error.code
export const codeOfStore = (error: FileStoreError): string => codeOf(error)
export const locks = client.locks.get.many([])
export const price = () => client.token.price({ address: '' }).withMeta()
export const copy = { ...client }
export * as fake from 'etn-market/fake'
export * as format from 'etn-market/format'
export * as react from 'etn-market/react'
export * as redis from 'etn-market/redis'
export * as stream from 'etn-market/stream'
