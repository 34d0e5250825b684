// A client of CommonJS in a feed and a proxy of ES modules. It is only type-checked.
import { createPriceFeed } from 'etn-market/feed'
import type { FileStoreError } from 'etn-market/node'
import { createProxy } from 'etn-market/proxy'
import { client, codeOf } from './use-together.cjs'

export const feed = createPriceFeed(client)
export const proxy = createProxy({ client, allow: ['token.price'], budget: false })
export const codeOfStore = (error: FileStoreError): string => codeOf(error)
