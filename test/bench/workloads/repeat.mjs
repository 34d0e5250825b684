/** One of this many results is checked: rare enough to cost nothing, often enough to notice skipped work. */
const CHECK_EVERY = 64

/** Makes `calls` calls of a workload, each with the next input from `first` on. */
export async function repeat({ client, work, inputs, first = 0, calls, options }) {
  const { call, isRight, inFlight } = work
  const end = first + calls
  let next = first
  const worker = async () => {
    while (next < end) {
      const turn = next++
      const input = inputs[turn % inputs.length]
      const result = await call(client, input, options)
      if (turn % CHECK_EVERY === 0 && !isRight(result, input)) throw new Error('The result is wrong.')
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}
