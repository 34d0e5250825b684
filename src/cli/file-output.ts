import { writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { statOpenFile } from './files.ts'
import type { HostProcess, Output } from './host.ts'

/**
 * Standard output that leads to a file. The stream of Node takes a part that a full disk wrote for the whole, without an error. What is
 * printed after a failure, and with it, is kept.
 */
export function createFileOutput(descriptor: number): Output {
  const unwritten: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _, done) {
      const text = String(chunk)
      if (unwritten.length > 0) unwritten.push(text)
      else {
        try {
          // Unlike `writeSync`, it goes on where the system takes a part only.
          writeFileSync(descriptor, text)
        } catch (error) {
          unwritten.push(text)
          process.nextTick(() => output.emit('error', error))
        }
      }
      done()
    },
  })
  return Object.assign(output, { unwritten: () => unwritten.join('') })
}

/** The process, with a standard output that reports what it cannot write. */
export function createHost(): HostProcess {
  const { env, stdin, stderr } = process
  return {
    env,
    stdin,
    stdout: leadsToFile(process.stdout) ? createFileOutput(process.stdout.fd) : process.stdout,
    stderr,
    get exitCode() {
      return process.exitCode
    },
    set exitCode(code) {
      process.exitCode = code
    },
    cwd: () => process.cwd(),
    exit: (code) => process.exit(code),
    on: (signal, listener) => process.on(signal, listener),
    once: (signal, listener) => process.once(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
  }
}

/** A device such as `/dev/full` is written as a file is. */
function leadsToFile({ isTTY, fd }: NodeJS.WriteStream & { fd: number }): boolean {
  if (isTTY) return false
  const found = statOpenFile(fd)
  return found.isFile() || found.isCharacterDevice()
}
