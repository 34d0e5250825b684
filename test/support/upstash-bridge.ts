import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { Redis } from 'ioredis'

/** Speaks the REST of Upstash to a real server: a command, or several at `/pipeline`, as JSON. */
export interface UpstashBridge {
  readonly url: string
  close(): void
}

interface Result {
  readonly result?: unknown
  readonly error?: string
}

export async function startUpstashBridge(redisPort: number): Promise<UpstashBridge> {
  // What becomes of a command whose answer is lost is for the client of the bridge to decide.
  const redis = new Redis({ port: redisPort, host: '127.0.0.1', maxRetriesPerRequest: 0 }).on('error', () => {})

  async function execute([name = '', ...args]: string[]): Promise<Result> {
    try {
      return { result: encode(await redis.call(name, ...args)) }
    } catch (error) {
      if ((error as Error).name !== 'ReplyError' && (error as Error).name !== 'SimpleError') throw error
      return { error: (error as Error).message }
    }
  }
  const server = createServer(async (request, response) => {
    try {
      const body = JSON.parse(await textOf(request))
      const answer: Result | Result[] = request.url?.endsWith('/pipeline')
        ? await Promise.all((body as string[][]).map(execute))
        : await execute(body as string[])
      response.writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    } catch {
      response.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close() {
      server.close()
      server.closeAllConnections()
      redis.disconnect()
    },
  }
}

/** As with the header `Upstash-Encoding: base64`, which the client sends. */
function encode(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(encode)
  return typeof result === 'string' && result !== 'OK' ? Buffer.from(result).toString('base64') : result
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
