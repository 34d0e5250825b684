import { createNodeFetch } from 'etn-market/node'
import { connect as connectBy } from './etn-market.mjs'

export const connect = (service) => connectBy({ ...service, fetch: createNodeFetch() })
