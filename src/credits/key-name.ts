import { createHashNames } from '../utils/hash-name.ts'
import { once } from '../utils/once.ts'

/** Bounds the memory of a client whose keys rotate. */
const MAX_KNOWN = 100

/** Names an API key where it must not be written: by a hash of it, which is the same in every process. */
export function createKeyNames(): (apiKey: string) => string {
  const nameOf = createHashNames(MAX_KNOWN)
  return (apiKey) => nameOf(`etn-market:key:${apiKey}`)
}

/** Names what `confirm` is given: the client passes the name of a key, other code may pass the key itself. Nothing stays nothing. */
export function createKeyReader(): (key: string) => string {
  const names = once(createKeyNames)
  return (key) => (key === '' || /^[0-9a-f]{32}$/.test(key) ? key : names()(key))
}
