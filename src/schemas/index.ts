/**
 * zod schemas of all parameters and answers.
 *
 * @module etn-market/schemas
 */

export * from '../generated/schemas.ts'
