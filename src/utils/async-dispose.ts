/** `Symbol.asyncDispose`; runtimes without it get what compilers of `await using` look for there. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')
