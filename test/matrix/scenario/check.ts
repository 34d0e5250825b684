/** Throws unless both values have the same JSON. The message shows both. */
export function check(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (seen !== wanted) throw new Error(`${what}: ${seen}, expected ${wanted}`)
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const noError = Symbol('no error')
  const caught = await promise.then(
    () => noError,
    (error: unknown) => error,
  )
  if (caught === noError) throw new Error('The promise resolved instead of rejecting.')
  return caught
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Reads until the text has come so many times. Returns what has come until then. */
export async function readUntil(body: ReadableStream<Uint8Array> | null, wanted: string, times = 1): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  while (text.split(wanted).length <= times) {
    const part = await reader?.read()
    if (part?.value === undefined) throw new Error(`The stream ended after ${text}`)
    text += decoder.decode(part.value, { stream: true })
  }
  reader?.releaseLock()
  return text
}
