#!/usr/bin/env bash
# HAProxy 2.6.12 (Debian 12) forwards the `Keep-Alive` header of the server behind it, and closes the client's connection earlier.
#
# A server of Node.js states `Keep-Alive: timeout=60`. HAProxy with `timeout client 1s` stands in front.
# One would expect that a header about the connection between HAProxy and the server stays there: RFC 9110 §7.6.1 lists it among those that an
# intermediary should remove.
# Seen: the client reads `timeout=60` from a proxy that closes the connection after a second. A client that heeds the header keeps a connection that
# is dead long before: what it sends in the moment of closing is lost. nginx 1.22.1 with the same idle time removes the header.
#
# Output seen on 2026-11-27:
#   haproxy 2.6.12: keep-alive: timeout=60, closed after 1 s
#   nginx 1.22.1: keep-alive: none, closed after 1 s
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root" "$folder/logs"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" haproxy nginx >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
export LD_LIBRARY_PATH="$folder/root/usr/lib/$(uname -m)-linux-gnu"

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createSocketServer } from 'node:net'

const [, , name, program, folder] = process.argv
const service = createServer({ keepAliveTimeout: 60_000 }, (_, response) => response.end('fine'))
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}
const upstream = await portOf(service)
const free = createSocketServer()
const port = await portOf(free)
await new Promise((resolve) => free.close(resolve))

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`)
const configurations = {
  haproxy: `defaults
  mode http
  timeout connect 1s
  timeout client 1s
  timeout server 10s
listen proxy
  bind 127.0.0.1:${port}
  server service 127.0.0.1:${upstream}
`,
  nginx: `pid ${folder}/pid;
error_log /dev/null;
events {}
http {
  access_log off;
  ${temporary.join(' ')}
  keepalive_timeout 1s;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${upstream}; }
  }
}
`,
}
const file = `${folder}/${name}.conf`
writeFileSync(file, configurations[name])
const args = name === 'haproxy' ? ['-db', '-q', '-f', file] : ['-g', 'daemon off; master_process off;', '-e', '/dev/null', '-p', folder, '-c', file]
const child = spawn(program, args, { stdio: 'inherit' })
process.on('exit', () => child.kill('SIGKILL'))

async function ask() {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  try {
    await once(socket, 'connect')
  } catch {
    return undefined
  }
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const sentAt = performance.now()
  await once(socket, 'close')
  return { header: /^keep-alive: (.*)\r$/im.exec(text)?.[1] ?? 'none', seconds: Math.round((performance.now() - sentAt) / 1_000) }
}
let seen
for (let tries = 0; seen === undefined && tries < 100; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50))
  seen = await ask()
}
console.log(`keep-alive: ${seen.header}, closed after ${seen.seconds} s`)
process.exit()
PROBE

probe() {
  local name=$1 version=$2 expected=$3 seen
  seen="$name $version: $(node "$folder/probe.mjs" "$name" "$folder/root/usr/sbin/$name" "$folder")"
  echo "$seen"
  [ "$seen" = "$expected" ] || { echo "Expected: $expected"; exit 1; }
}
version_of() { dpkg-deb -f "$folder"/archives/"$1"_*.deb Version | grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' | head -1; }
probe haproxy "$(version_of haproxy)" 'haproxy 2.6.12: keep-alive: timeout=60, closed after 1 s'
probe nginx "$(version_of nginx)" 'nginx 1.22.1: keep-alive: none, closed after 1 s'
