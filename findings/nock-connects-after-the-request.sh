#!/usr/bin/env bash
# nock 14.0.17: a request of node:http that waits for its connection before it is sent never gets one.
#
# Some programs send a request when its socket has emitted `connect`, for example to look at a limit right before the bytes leave. Node makes the
# connection when the request is created, so this works, and worked with nock 13.
# Seen: while nock 14 is imported, the socket says `connecting: true` and emits nothing until the request has been written. So such a request ends in
# its time limit, also one to a host that nock lets through. A request that is written at once gets its answer. The same is true of msw 2.15, because
# both use @mswjs/interceptors 0.41; its version 0.45, in msw 3, has mended it (mswjs/msw#2259).
#
# Output seen on 2026-11-28:
#   nock 13.5.6, written at once: 200
#   nock 13.5.6, written at connect: 200
#   nock 14.0.17, written at once: 200
#   nock 14.0.17, written at connect: no connection within 2 s, connecting: true
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . nock13@npm:nock@13.5.6 nock14@npm:nock@14.0.17 >/dev/null

cat >probe.cjs <<'PROBE'
const http = require('node:http')
const nock = require(process.argv[2])
const { version } = require(`${process.argv[2]}/package.json`)
nock.enableNetConnect('127.0.0.1')
const server = http.createServer((request, response) => response.end('ok'))

function send(port, waits) {
  return new Promise((resolve) => {
    const request = http.request({ port, host: '127.0.0.1' })
    request.on('response', (response) => resolve(response.resume().statusCode))
    request.on('error', () => {})
    if (!waits) return request.end()
    request.on('socket', (socket) => {
      if (!socket.connecting) return request.end()
      socket.once('connect', () => request.end())
      setTimeout(() => resolve(`no connection within 2 s, connecting: ${socket.connecting}`), 2_000)
    })
  })
}

server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address()
  for (const waits of [false, true])
    console.log(`nock ${version}, written at ${waits ? 'connect' : 'once'}: ${await send(port, waits)}`)
  process.exit()
})
PROBE
seen=$(node probe.cjs nock13; node probe.cjs nock14)
echo "$seen"
[ "$seen" = "nock 13.5.6, written at once: 200
nock 13.5.6, written at connect: 200
nock 14.0.17, written at once: 200
nock 14.0.17, written at connect: no connection within 2 s, connecting: true" ]
