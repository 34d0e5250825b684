#!/usr/bin/env bash
# HAProxy 2.6.12 and Apache 2.4.71 (Debian 12): whether a lost answer becomes 502 depends on the client's own connection.
#
# A service breaks the connection of GET /lost without an answer. A reverse proxy stands in front, with default settings.
# One would expect 502 for every lost answer.
# Seen: the first request of a client's connection gets 502. A later one of the same connection gets no answer: the proxy closes the
# client's connection, so that the client sees ECONNRESET. A client that keeps its connections alive never sees the 502 of these proxies, and
# one that sends again what failed on a kept connection, as browsers do, sends a request again that the service has carried out.
#
# Output seen on 2026-11-27:
#   haproxy 2.6.12
#     first request: 502
#     second request: ECONNRESET
#   apache2 2.4.71
#     first request: 502
#     second request: ECONNRESET
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null || true; rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" haproxy apache2-bin >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
export LD_LIBRARY_PATH="$folder/root/usr/lib/$(uname -m)-linux-gnu"
haproxy=$folder/root/usr/sbin/haproxy
apache=$folder/root/usr/sbin/apache2

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, createServer, get } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const [, , name, program, folder] = process.argv
const service = createServer((request, response) => {
  if (request.url === '/lost') request.socket.resetAndDestroy()
  else response.end('fine')
})
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}
const upstream = await portOf(service)
const free = createSocketServer()
const port = await portOf(free)
await new Promise((resolve) => free.close(resolve))

const modules = `${folder}/root/usr/lib/apache2/modules`
const configurations = {
  haproxy: `defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
listen proxy
  bind 127.0.0.1:${port}
  server service 127.0.0.1:${upstream}
`,
  apache2: `ServerRoot ${folder}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ServerName localhost
ErrorLog /dev/null
Listen 127.0.0.1:${port}
${process.getuid() === 0 ? 'User www-data\nGroup www-data' : ''}
${['mpm_event', 'authz_core', 'proxy', 'proxy_http'].map((one) => `LoadModule ${one}_module ${modules}/mod_${one}.so`).join('\n')}
ProxyPass / http://127.0.0.1:${upstream}/
`,
}
const file = `${folder}/${name}.conf`
writeFileSync(file, configurations[name])
const child = spawn(program, name === 'haproxy' ? ['-db', '-q', '-f', file] : ['-X', '-f', file], { stdio: 'inherit' })
process.on('exit', () => child.kill('SIGKILL'))
process.on('SIGTERM', () => process.exit(1))

const ask = (agent, path) =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    }).once('error', ({ code }) => resolve(code))
  })
for (let tries = 0; (await ask(false, '/')) !== 200 && tries < 100; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50))
}
const one = { keepAlive: true, maxSockets: 1 }
console.log(`  first request: ${await ask(new Agent(one), '/lost')}`)
const agent = new Agent(one)
await ask(agent, '/')
console.log(`  second request: ${await ask(agent, '/lost')}`)
process.exit()
PROBE

probe() {
  local name=$1 program=$2 expected=$3 version
  version=$("$program" -v | grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' | head -1)
  [ "$version" = "$expected" ] || { echo "This was seen with $name $expected, not $version."; exit 1; }
  echo "$name $version"
  node "$folder/probe.mjs" "$name" "$program" "$folder" >"$folder/seen" &
  child=$!
  wait "$child" || { cat "$folder/seen"; exit 1; }
  child=
  cat "$folder/seen"
  diff - "$folder/seen" <<'SEEN' || { echo "The behaviour has changed."; exit 1; }
  first request: 502
  second request: ECONNRESET
SEEN
}
probe haproxy "$haproxy" 2.6.12
probe apache2 "$apache" 2.4.71
