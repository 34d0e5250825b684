#!/usr/bin/env bash
# koa-compress 5.2.2: a Blob becomes `{}` when it is compressed.
#
# Koa 3 takes a Blob or a Response as a body, and sends its content. koa-compress has its defaults, or `threshold: 0`.
# One would expect the content, compressed.
# Seen: koa-compress takes both for objects and sends `JSON.stringify(body)`, which is `{}`, with the status and the type of the content. It does so
# with a Blob that is larger than the threshold, and with every Response if the threshold is 0. Clients that accept no compression get the content.
#
# Output seen on 2026-11-28:
#   koa 3.3.0, koa-compress 5.2.2
#   Blob, without koa-compress: 200 text/plain; charset=utf-8, 3000 characters
#   Blob, compress(), identity: 200 text/plain; charset=utf-8, 3000 characters
#   Blob, compress(), gzip: 200 text/plain; charset=utf-8, 2 characters: {}
#   Response, compress({ threshold: 0 }), gzip: 200 text/plain, 2 characters: {}
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . koa@3.3.0 koa-compress@5.2.2 >/dev/null

cat >probe.cjs <<'PROBE'
const { once } = require('node:events')
const Koa = require('koa')
const compress = require('koa-compress')
const versionOf = (name) => require(`${name}/package.json`).version

const text = 'hello '.repeat(500)
const type = 'text/plain'
const bodies = { Blob: () => new Blob([text], { type }), Response: () => new Response(text, { headers: { 'content-type': type } }) }

async function get(kind, options, encoding) {
  const app = new Koa()
  if (options !== undefined) app.use(compress(options))
  app.use((context) => {
    context.body = bodies[kind]()
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { 'accept-encoding': encoding } })
  const got = await response.text()
  server.close()
  server.closeAllConnections()
  return `${response.status} ${response.headers.get('content-type')}, ${got.length} characters${got === '{}' ? ': {}' : ''}`
}

async function main() {
  console.log(`koa ${versionOf('koa')}, koa-compress ${versionOf('koa-compress')}`)
  console.log(`Blob, without koa-compress: ${await get('Blob', undefined, 'gzip')}`)
  console.log(`Blob, compress(), identity: ${await get('Blob', {}, 'identity')}`)
  console.log(`Blob, compress(), gzip: ${await get('Blob', {}, 'gzip')}`)
  console.log(`Response, compress({ threshold: 0 }), gzip: ${await get('Response', { threshold: 0 }, 'gzip')}`)
}
main()
PROBE
seen=$(node probe.cjs)
echo "$seen"
[ "$seen" = "koa 3.3.0, koa-compress 5.2.2
Blob, without koa-compress: 200 text/plain; charset=utf-8, 3000 characters
Blob, compress(), identity: 200 text/plain; charset=utf-8, 3000 characters
Blob, compress(), gzip: 200 text/plain; charset=utf-8, 2 characters: {}
Response, compress({ threshold: 0 }), gzip: 200 text/plain, 2 characters: {}" ] || { echo "The behaviour has changed."; exit 1; }
