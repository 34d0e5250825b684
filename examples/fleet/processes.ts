import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
/** How long a process may take to finish its calls. */
const MAX_STOP_MS = 10_000

/** One place in the fleet. A process that is killed leaves it to its successor. */
export interface Place {
  /** 1, 2, 3 … */
  readonly number: number
  readonly state: 'starting' | 'running' | 'ended'
  readonly pid: number | undefined
  /** How many processes were killed here. */
  readonly kills: number
}

export interface Processes {
  readonly places: readonly Place[]
  /** Resolves when all processes run. */
  readonly ready: Promise<void>
  /** Kills the process of a place as `kill -9` does, and starts another one. */
  replace(number: number): void
  /** Lets all processes finish their calls and end. */
  stop(): Promise<void>
}

interface Listeners {
  /** Called with one sentence for each start and each kill. */
  onChange(sentence: string): void
  /** Called when a process ends that nobody has stopped. */
  onCrash(error: Error): void
}

/** Starts `count` processes with these environment variables. */
export function startProcesses(count: number, env: NodeJS.ProcessEnv, { onChange, onCrash }: Listeners): Processes {
  const places = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    state: 'starting' as Place['state'],
    pid: undefined as number | undefined,
    kills: 0,
  }))
  const children = new Map<number, { child: ChildProcess; ended: Promise<void> }>()
  let isStopping = false

  function start(place: (typeof places)[number]): Promise<void> {
    // Detached: Ctrl-C in the terminal must not end it before its calls are finished.
    const child = fork(WORKER, { detached: true, env: { ...process.env, ...env, FLEET_PROCESS: `${place.number}` } })
    place.pid = child.pid
    place.state = 'starting'
    onChange(`process ${place.number} is pid ${child.pid}`)
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve()
        if (children.get(place.number)?.child !== child) return
        place.state = 'ended'
        if (!isStopping) onCrash(new Error(`Process ${place.number} ended by itself (${signal ?? code}).`))
      })
    })
    children.set(place.number, { child, ended })
    return new Promise((resolve) => {
      child.once('message', () => {
        if (place.pid === child.pid) place.state = 'running'
        resolve()
      })
      ended.then(resolve)
    })
  }

  const killAll = () => {
    for (const { child } of children.values()) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  const ready = Promise.all(places.map(start)).then(() => {})

  return {
    places,
    ready,
    replace(number) {
      const place = places[number - 1]
      const child = children.get(number)?.child
      if (!place || !child || isStopping) return
      children.delete(number)
      child.kill('SIGKILL')
      place.kills++
      onChange(`process ${number} (pid ${child.pid}) was killed while its request was in flight`)
      void start(place)
    },
    async stop() {
      isStopping = true
      const running = [...children.values()]
      for (const { child } of running) if (child.connected) child.send('stop')
      const timer = new AbortController()
      const late = wait(MAX_STOP_MS, undefined, { signal: timer.signal }).then(killAll, () => {})
      await Promise.all(running.map(({ ended }) => ended))
      timer.abort()
      await late
      process.off('exit', killAll)
    },
  }
}
