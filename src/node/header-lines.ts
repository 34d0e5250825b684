import type { Target } from './target.ts'

/** Names and values in turn, as `node:http` takes them without a check for each; with what Node's fetch sends by itself. */
export function headerLines({ host, secure }: Target, headers: RequestInit['headers']): string[] {
  const lines = ['host', host]
  let agent = true
  let encoding = true
  const add = (name: string, value: string) => {
    if (name.length === 10 && name.toLowerCase() === 'user-agent') agent = false
    if (name.length === 15 && name.toLowerCase() === 'accept-encoding') encoding = false
    lines.push(name, value)
  }
  if (headers !== undefined) {
    if (Symbol.iterator in headers) for (const [name, value] of headers) add(String(name), String(value))
    else for (const name in headers) add(name, String((headers as Record<string, string>)[name]))
  }
  if (agent) lines.push('user-agent', 'node')
  if (encoding) lines.push('accept-encoding', secure ? 'br, gzip, deflate' : 'gzip, deflate')
  return lines
}
