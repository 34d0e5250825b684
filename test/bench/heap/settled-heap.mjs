/** Heap in use after garbage collection. An object with a finalizer is freed only in a later turn, hence the loop. */
export async function settledHeap() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}
