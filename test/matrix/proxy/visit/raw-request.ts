import { connect } from 'node:net'

/** Sends a GET of which nothing normalises the path, and returns the whole answer as text. */
export function sendRaw({ hostname, port, host }: URL, path: string, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return new Promise((resolve, reject) => {
    let text = ''
    connect(Number(port), hostname)
      .setEncoding('utf8')
      .on('data', (part) => {
        text += part
      })
      .on('error', reject)
      .on('close', () => resolve(text))
      .write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}
