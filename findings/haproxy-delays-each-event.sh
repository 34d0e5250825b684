#!/usr/bin/env bash
# HAProxy 2.6.12 (Debian 12): each event of a stream waits for 200 ms, unless `option http-no-delay` is set.
#
# The configuration has a frontend, a backend and time-outs, and nothing else. The service sends a server-sent event at once and then every
# 500 ms; nothing is compressed.
# One would expect each event to pass when it arrives, as it does through other reverse proxies.
# Seen: HAProxy announces that more will follow, so the kernel holds the small part back for 200 ms. With `option http-no-delay` each
# event passes at once. The manual describes that option for "interactive" uses of HTTP, and does not name event streams.
#
# Output seen on 2026-11-28:
#   HAProxy 2.6.12
#   as configured: 4 of 4 events are 150 ms late or more
#   option http-no-delay: 0 of 4 events are 150 ms late or more
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" haproxy >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
export LD_LIBRARY_PATH="$folder/root/usr/lib/$(uname -m)-linux-gnu"
version=$(dpkg-deb -f "$folder"/archives/haproxy_*.deb Version | grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' | head -1)
echo "HAProxy $version"
[ "$version" = 2.6.12 ] || { echo "This was seen with HAProxy 2.6.12."; exit 1; }

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const [, , haproxy, folder] = process.argv
const EVENTS = 4
const LATE_MS = 150
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const service = createServer(async (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let event = 0; event < EVENTS; event++) {
    response.write(`data: ${Date.now()}\n\n`)
    await wait(500)
  }
  response.end()
})
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}
const upstream = await portOf(service)
const free = createSocketServer()
const port = await portOf(free)
await new Promise((resolve) => free.close(resolve))
const ask = () => fetch(`http://127.0.0.1:${port}/`)

/** Milliseconds from the service to the client, for each event of the second stream: the first one starts the programs. */
async function delaysWith(option) {
  writeFileSync(
    `${folder}/haproxy.cfg`,
    `defaults
  mode http
  ${option}
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend public
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server one 127.0.0.1:${upstream}
`,
  )
  const child = spawn(haproxy, ['-db', '-q', '-f', `${folder}/haproxy.cfg`], { stdio: 'inherit' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let first
  for (let tries = 0; first === undefined && tries < 100; tries++) first = await ask().catch(() => wait(50))
  await first.text()
  const delays = []
  for await (const part of (await ask()).body) {
    const [, sentAt] = /data: (\d+)/.exec(new TextDecoder().decode(part)) ?? []
    if (sentAt !== undefined) delays.push(Date.now() - Number(sentAt))
  }
  kill()
  await once(child, 'exit')
  return delays
}

for (const option of ['', 'option http-no-delay']) {
  const delays = await delaysWith(option)
  const late = delays.filter((ms) => ms >= LATE_MS).length
  console.log(`${option || 'as configured'}: ${late} of ${delays.length} events are ${LATE_MS} ms late or more`)
}
process.exit()
PROBE
node "$folder/probe.mjs" "$folder/root/usr/sbin/haproxy" "$folder" | tee "$folder/seen"
diff - "$folder/seen" <<'SEEN' || { echo "The behaviour has changed."; exit 1; }
as configured: 4 of 4 events are 150 ms late or more
option http-no-delay: 0 of 4 events are 150 ms late or more
SEEN
