export type Guard = (value: unknown) => boolean

export const isString = (value: unknown): value is string => typeof value === 'string'
export const isNumber = (value: unknown): value is number => Number.isFinite(value)
export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
/** The largest moment that a Date holds, before and after 1970. */
export const MAX_UNIX_SECONDS = 8_640_000_000_000
export const isUnixSeconds = (value: unknown): value is number =>
  isInteger(value) && value >= -MAX_UNIX_SECONDS && value <= MAX_UNIX_SECONDS
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isNull = (value: unknown): value is null => value === null
export const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isArray(value)

/** Whether a value is absent, null, or what a guard accepts. */
export const maybe = (value: unknown, guard: Guard): boolean => value == null || guard(value)

export const values = (record: Record<string, unknown>): unknown[] => Object.values(record)

export function every(list: readonly unknown[], guard: Guard): boolean {
  for (const item of list) if (!guard(item)) return false
  return true
}
