import { createNodeTransport } from 'etn-market/node'
import { connect as connectWith } from './etn-market.mjs'

export const connect = (service) => connectWith({ ...service, transport: createNodeTransport() })
