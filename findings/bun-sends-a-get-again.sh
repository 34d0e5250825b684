#!/usr/bin/env bash
# Bun 1.4.5: fetch sends a GET again when a kept connection breaks, and `keepalive: false` ends that only in the second argument.
#
# A server answers the first request of a connection, and breaks it at the second one, after it has read it.
# One would expect that `keepalive: false` is heeded wherever a Request may say it, and that `connection: close` keeps a request off used connections.
# Seen: an interrupted GET is sent again by itself, so that the server reads two where the program made one. The header does not prevent it, and
# neither does `new Request(url, { keepalive: false })`. `fetch(url, { keepalive: false })` does.
#
# Output seen on 2026-11-27:
#   fetch(url): 2 requests
#   fetch(url, { headers: { connection: 'close' } }): 2 requests
#   fetch(new Request(url, { keepalive: false })): 2 requests
#   fetch(url, { keepalive: false }): 1 request
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . bun@1.4.5 >/dev/null

cat >server.mjs <<'SERVER'
import { createServer } from 'node:net'
let requests = 0
const server = createServer((socket) => {
  let seen = 0
  socket.on('error', () => {})
  socket.on('data', (data) => {
    const path = /^GET (\S+)/.exec(String(data))?.[1]
    if (path === '/count') {
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${String(requests).length}\r\n\r\n${requests}`)
      requests = 0
      return
    }
    if (path === '/counted') requests++
    if (seen++ > 0) socket.destroy()
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
SERVER
cat >client.mjs <<'CLIENT'
const [, , origin] = process.argv
const url = `${origin}/counted`
const ways = {
  'fetch(url)': () => fetch(url),
  "fetch(url, { headers: { connection: 'close' } })": () => fetch(url, { headers: { connection: 'close' } }),
  'fetch(new Request(url, { keepalive: false }))': () => fetch(new Request(url, { keepalive: false })),
  'fetch(url, { keepalive: false })': () => fetch(url, { keepalive: false }),
}
for (const [name, send] of Object.entries(ways)) {
  await (await fetch(`${origin}/first`)).text()
  await send().then((response) => response.text(), () => {})
  const count = await (await fetch(`${origin}/count`, { keepalive: false })).text()
  console.log(`${name}: ${count} request${count === '1' ? '' : 's'}`)
}
process.exit()
CLIENT
node server.mjs >port &
trap 'kill %1 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -s port ]; do sleep 0.1; done
seen=$(npx bun client.mjs "http://127.0.0.1:$(cat port)")
echo "$seen"
[ "$seen" = "fetch(url): 2 requests
fetch(url, { headers: { connection: 'close' } }): 2 requests
fetch(new Request(url, { keepalive: false })): 2 requests
fetch(url, { keepalive: false }): 1 request" ]
