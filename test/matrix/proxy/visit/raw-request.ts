import { connect } from 'node:net'

/** Sends a GET of which nothing normalises the path, and returns the whole answer as text. */
export function sendRaw({ hostname, port, host }: URL, path: string, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname)
      .setEncoding('latin1')
      .on('data', (part) => {
        text += part
        // workerd keeps the connection for 5 seconds, although it is asked to close it.
        if (isComplete(text)) socket.destroy()
      })
      .on('error', reject)
      .on('close', () => resolve(text))
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

/** By the length that the headers state, or the last chunk. */
function isComplete(text: string): boolean {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
}
