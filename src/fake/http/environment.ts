import { FAKE_ORIGINS } from '../../utils/fake-mark.ts'
import { environment } from '../../utils/runtime.ts'

const allowedOrigins = () => (environment(FAKE_ORIGINS) ?? '').split(',').filter((origin) => origin !== '')

export function isGuarded(): boolean {
  return allowedOrigins().length > 0
}

/** Lets clients send to an origin, and to nothing that is not listed. Returns a function that takes it back. */
export function allowOrigin(origin: string): () => void {
  setVariable(FAKE_ORIGINS, [...allowedOrigins(), origin].join())
  return () => {
    const left = allowedOrigins()
    if (left.includes(origin)) left.splice(left.indexOf(origin), 1)
    setVariable(FAKE_ORIGINS, left.length > 0 ? left.join() : undefined)
  }
}

/** Sets or deletes a variable of the environment. Returns a function that restores its value. */
export function setVariable(name: string, value: string | undefined): () => void {
  const { env = {} } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {}
  const before = env[name]
  if (value === undefined) delete env[name]
  else env[name] = value
  return () => void setVariable(name, before)
}
