/** Heap in use when everything that may go has gone: what has been finalised is only free after another turn. */
export async function settledHeap() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}
