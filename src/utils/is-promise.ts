/** By its method: where zone.js or Bluebird replaces the global `Promise`, what an async function returns is no instance of it. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.catch === 'function'
}
