import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** A store of texts in one JSON file, for one process. Each change is written at once, whole or not at all. */
export function createFileStore(path: string) {
  const entries = new Map<string, string>(readEntries(path))
  const save = () => {
    writeFileSync(`${path}.new`, JSON.stringify([...entries]))
    renameSync(`${path}.new`, path)
  }
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: string) {
      entries.set(key, value)
      save()
    },
    delete(key: string) {
      entries.delete(key)
      save()
    },
  }
}

function readEntries(path: string): [string, string][] {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // Another failure must not begin with an empty budget.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Error(`${path} cannot be read.`, { cause: error })
  }
}
