import type { Browser } from 'playwright-core'
import type { Site } from './serve.ts'

export interface Surroundings {
  readonly browser: Browser
  readonly site: Site
}

export interface Check {
  readonly name: string
  /** None if it passed. */
  readonly problems: readonly string[]
}

/** Enough to see what is wrong. */
export const MAX_PROBLEMS = 12
