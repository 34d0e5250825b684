/**
 * Keeps the process alive until the returned function is called, as the socket of a pending request does. Without it, a
 * program that only waits for an unreferenced timer ends before the timer fires. It uses a message port, because fake timers
 * replace timers.
 */
export function keepProcessAlive(): () => void {
  const { port1 } = new MessageChannel()
  port1.onmessage = () => {}
  return () => port1.close()
}
