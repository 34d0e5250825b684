import type { Service } from './service.ts'

const { CONTENDER = 'fetch' } = process.env
const contender: { service: Service } = await import(`./contenders/${CONTENDER}.ts`)

/** The stand-in for the service in this run. */
export const { service } = contender
