/** Throws, with both in the message, unless they are the same JSON. */
export function check(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (seen !== wanted) throw new Error(`${what}: ${seen}, expected ${wanted}`)
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing')
  const caught = await promise.then(
    () => nothing,
    (error: unknown) => error,
  )
  if (caught === nothing) throw new Error('It resolved, and should have rejected.')
  return caught
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
