import type { Service } from './service.ts'

const { CONTENDER = 'fetch' } = process.env
const chosen: { service: Service } = await import(`./contenders/${CONTENDER}.ts`)

/** What plays the service in this run. */
export const { service } = chosen
