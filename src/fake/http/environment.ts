/** The origins of the fakes that tests use now: a client sends nothing elsewhere while the variable is set. */
const ORIGINS = 'ETN_MARKET_FAKE_ORIGINS'

type Environment = Record<string, string | undefined>

function environment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } }
  return process?.env ?? {}
}

const listed = () => (environment()[ORIGINS] ?? '').split(',').filter((origin) => origin !== '')

/** Whether a test that uses a fake runs. */
export function isGuarded(): boolean {
  return listed().length > 0
}

/** Lets clients send to an origin, and to nothing that is not listed. Returns a function that takes it back. */
export function allowOrigin(origin: string): () => void {
  setVariable(ORIGINS, [...listed(), origin].join())
  return () => {
    const left = listed()
    if (left.includes(origin)) left.splice(left.indexOf(origin), 1)
    setVariable(ORIGINS, left.length > 0 ? left.join() : undefined)
  }
}

/** Sets variables of the environment. Returns a function that restores their values. */
export function setVariables(values: Environment): () => void {
  const before = Object.keys(values).map((name) => [name, environment()[name]] as const)
  for (const [name, value] of Object.entries(values)) setVariable(name, value)
  return () => {
    for (const [name, value] of before) setVariable(name, value)
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete environment()[name]
  else environment()[name] = value
}
