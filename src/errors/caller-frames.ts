/**
 * Appends the lines of the stack from here up to the caller's own, where they are missing. V8 finds the function that awaits a
 * promise when the promise has no other reader.
 */
export function appendCallerFrames<Failure extends Error>(error: Failure): Failure {
  const [, , ...frames] = (new Error().stack ?? '').split('\n')
  const { stack = '' } = error
  error.stack = [stack, ...frames.filter((frame) => !stack.includes(frame.trim()))].join('\n')
  return error
}
