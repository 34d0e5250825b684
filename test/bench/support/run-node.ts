import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CLIENT_CORE, nodeOnCore } from './cores.ts'
import { BENCH } from './paths.ts'

const exec = promisify(execFile)

/** Runs Node on the client's core and returns its output. Scripts of the bench read `job` from the environment. */
async function runNode(args: readonly string[], job: object): Promise<string> {
  const [program, all] = nodeOnCore(CLIENT_CORE, args)
  try {
    return (await exec(program, all, { cwd: BENCH, env: { ...process.env, JOB: JSON.stringify(job) } })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${args.join(' ')} failed.\n${stdout}${stderr}`)
  }
}

/** Runs a script in its own process and parses the figures that it prints. */
export async function measure<Figures>(
  script: string,
  job: object = {},
  flags: readonly string[] = [],
): Promise<Figures> {
  return JSON.parse(await runNode(['--expose-gc', ...flags, script], job)) as Figures
}

/** The time from the start to the end of a process in milliseconds. */
export async function wallMs(args: readonly string[], job: object = {}): Promise<number> {
  const startedAt = performance.now()
  await runNode(args, job)
  return performance.now() - startedAt
}
