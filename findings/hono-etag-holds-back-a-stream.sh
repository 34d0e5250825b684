#!/usr/bin/env bash
# Hono 4.13.19: with `etag()`, an event stream never begins, and the server does not notice that its client has left.
#
# The route is that of Hono's documentation: `streamSSE` writes an event every 100 ms until the client leaves.
# One would expect `etag()` to leave a stream alone, as `compress()` of Hono does.
# Seen: to make the tag, `etag()` reads the whole body before it answers. A stream has no end, so the client gets no headers and no event. When the
# client leaves, the stream is not aborted, and the route writes for ever. With an `ETag` header of its own, the stream begins at once.
#
# Output seen on 2026-11-28:
#   hono 4.13.19, @hono/node-server 2.1.9
#   without etag(): an event within 2 s, aborted when the client left
#   with etag(): nothing within 2 s, goes on after the client has left
#   with etag() and an ETag header: an event within 2 s, aborted when the client left
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . hono@4.13.19 @hono/node-server@2.1.9 >/dev/null

cat >probe.mjs <<'PROBE'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { streamSSE } from 'hono/streaming'

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
console.log(`hono ${versionOf('hono')}, @hono/node-server ${versionOf('@hono/node-server')}`)

async function ask(title, middleware, headers = {}) {
  let isRunning = true
  const app = new Hono()
  if (middleware) app.use(middleware)
  app.get('/events', (context) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return streamSSE(context, async (stream) => {
      stream.onAbort(() => {
        isRunning = false
      })
      for (let count = 0; isRunning; count++) {
        await stream.writeSSE({ data: String(count) })
        await stream.sleep(100)
      }
    })
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  const client = new AbortController()
  const firstEvent = fetch(`http://127.0.0.1:${server.address().port}/events`, { signal: client.signal })
    .then(({ body }) => body.getReader().read())
    .then(() => 'an event within 2 s')
    .catch(() => 'nothing within 2 s')
  const first = await Promise.race([firstEvent, wait(2_000).then(() => 'nothing within 2 s')])
  client.abort()
  await wait(1_000)
  console.log(`${title}: ${first}, ${isRunning ? 'goes on after the client has left' : 'aborted when the client left'}`)
  isRunning = false
  server.close()
  server.closeAllConnections()
}

await ask('without etag()')
await ask('with etag()', etag())
await ask('with etag() and an ETag header', etag(), { etag: '"stream"' })
process.exit()
PROBE
seen=$(node probe.mjs)
echo "$seen"
[ "$seen" = "hono 4.13.19, @hono/node-server 2.1.9
without etag(): an event within 2 s, aborted when the client left
with etag(): nothing within 2 s, goes on after the client has left
with etag() and an ETag header: an event within 2 s, aborted when the client left" ] || { echo "The behaviour has changed."; exit 1; }
