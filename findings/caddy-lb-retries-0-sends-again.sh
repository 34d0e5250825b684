#!/usr/bin/env bash
# Caddy 2.6.2 (Debian 12): `lb_retries 0` does not stop the reverse proxy from sending a request again.
#
# A service answers one request, and breaks the connection of the next one without an answer: GET /price?n=1, then GET /price?n=2.
# One would expect 502 for the second with `lb_retries 0`, which is the number of times that Caddy tries again.
# Seen: the service gets the second request twice, and the client sees 200. The retry is that of the HTTP client below, for a kept connection that
# breaks before an answer. `keepalive off` of the transport ends it: 502, and each request arrives once.
#
# Output seen on 2026-11-27:
#   caddy 2.6.2
#   lb_retries 0: 200, 200; requests at the service: 1, 2, 2
#   keepalive off: 200, 502; requests at the service: 1, 2
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null || true; rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" caddy >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
caddy=$folder/root/usr/bin/caddy
version=$("$caddy" version | grep -o '[0-9]\+\.[0-9.]\+' | head -1)
echo "caddy $version"
[ "$version" = 2.6.2 ] || { echo "This was seen with caddy 2.6.2."; exit 1; }

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const [, , caddy, folder] = process.argv
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}
process.on('SIGTERM', () => process.exit(1))

async function probe(name, { proxy = '', transport = '' }) {
  const received = []
  const service = createServer((request, response) => {
    if (request.url === '/') return response.end()
    const n = new URL(request.url, 'http://service').searchParams.get('n')
    const isLost = n === '2' && !received.includes(n)
    received.push(n)
    if (isLost) request.socket.resetAndDestroy()
    else response.end('1.00')
  })
  const upstream = await portOf(service)
  const free = createSocketServer()
  const port = await portOf(free)
  await new Promise((resolve) => free.close(resolve))
  writeFileSync(
    `${folder}/Caddyfile`,
    `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  reverse_proxy 127.0.0.1:${upstream} {
    ${proxy}
    transport http {
      ${transport}
    }
  }
}
`,
  )
  const child = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: 'ignore',
  })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  const ask = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  for (let tries = 0; (await ask('/').catch(() => undefined)) !== 200 && tries < 100; tries++) await wait(50)
  const statuses = [await ask('/price?n=1'), await ask('/price?n=2')]
  console.log(`${name}: ${statuses.join(', ')}; requests at the service: ${received.join(', ')}`)
  kill()
  service.close()
  service.closeAllConnections()
}

await probe('lb_retries 0', { proxy: 'lb_retries 0' })
await probe('keepalive off', { transport: 'keepalive off' })
process.exit()
PROBE
node "$folder/probe.mjs" "$caddy" "$folder" >"$folder/seen" &
child=$!
wait "$child" || { cat "$folder/seen"; exit 1; }
child=
cat "$folder/seen"
diff - "$folder/seen" <<'SEEN' || { echo "The behaviour has changed."; exit 1; }
lb_retries 0: 200, 200; requests at the service: 1, 2, 2
keepalive off: 200, 502; requests at the service: 1, 2
SEEN
