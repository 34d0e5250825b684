#!/usr/bin/env bash
# nginx 1.22.1 (Debian 12): `error_page` for a lost answer sends a second request to the service, and its body becomes the answer.
#
# The configuration has the usual line `error_page 502 504 /50x.html;` beside a `location /` that forwards everything, and no location
# for that page. The service breaks the connection of GET /price without an answer.
# One would expect nginx's own page with 502.
# Seen: nginx asks the service for /50x.html, with the headers of the first request, and answers 502 with the service's 404 as its body.
# A client that reads the body is told "no such page" by the service itself, for a request that the service has carried out.
#
# Output seen on 2026-11-27:
#   nginx 1.22.1
#   GET /price: 502 application/json {"error":"no such page"}
#   requests at the service: GET /price with key 7, GET /50x.html with key 7
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null || true; rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" nginx-light nginx >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
export LD_LIBRARY_PATH="$folder/root/usr/lib/$(uname -m)-linux-gnu"
nginx=$folder/root/usr/sbin/nginx
version=$("$nginx" -v 2>&1 | grep -o '[0-9]\+\.[0-9.]\+')
echo "nginx $version"
[ "$version" = 1.22.1 ] || { echo "This was seen with nginx 1.22.1."; exit 1; }

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const [, , nginx, folder] = process.argv
const received = []
const service = createServer((request, response) => {
  received.push(`GET ${request.url} with key ${request.headers['x-key']}`)
  if (request.url === '/price') return request.socket.resetAndDestroy()
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such page"}')
})
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}
const upstream = await portOf(service)
const free = createSocketServer()
const port = await portOf(free)
await new Promise((resolve) => free.close(resolve))
const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
writeFileSync(
  `${folder}/nginx.conf`,
  `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null;
   events {}
   http {
     access_log off; ${paths.join(' ')}
     server {
       listen 127.0.0.1:${port};
       error_page 502 504 /50x.html;
       location / { proxy_pass http://127.0.0.1:${upstream}; }
     }
   }`,
)
const child = spawn(nginx, ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', '/dev/null'], { stdio: 'inherit' })
process.on('exit', () => child.kill())
process.on('SIGTERM', () => process.exit(1))
const ask = () => fetch(`http://127.0.0.1:${port}/price`, { headers: { 'x-key': '7' } })
let answer
for (let tries = 0; answer === undefined && tries < 100; tries++) {
  answer = await ask().catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
}
console.log(`GET /price: ${answer?.status} ${answer?.headers.get('content-type')} ${await answer?.text()}`)
console.log(`requests at the service: ${received.join(', ')}`)
process.exit()
PROBE
node "$folder/probe.mjs" "$nginx" "$folder" >"$folder/seen" &
child=$!
wait "$child" || { cat "$folder/seen"; exit 1; }
child=
cat "$folder/seen"
diff - "$folder/seen" <<'SEEN' || { echo "The behaviour has changed."; exit 1; }
GET /price: 502 application/json {"error":"no such page"}
requests at the service: GET /price with key 7, GET /50x.html with key 7
SEEN
