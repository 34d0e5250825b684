#!/usr/bin/env bash
# Firefox 153 ESR (Debian 12): if the connection breaks before an answer, one GET of a page is sent up to ten times, and a POST twice.
#
# A server answers one request of a page, and breaks the connection at each request that follows, after it has read it. This is what a page meets when
# the process behind a load balancer is killed. The page calls `fetch` once.
# One would expect a second request on a new connection, as in Chromium: HTTP lets a client repeat a GET if a kept connection was closed.
# Seen: Firefox sends the GET ten times within a moment, each on a new connection, and rejects only then. It does so with `keepalive`, with
# `cache: 'no-store'` and with `Authorization`, too. A POST is sent twice. If the answer has begun, nothing is sent again. The page learns of none of this.
#
# Output seen on 2026-11-28:
#   Firefox 153.8.0
#   GET: 10 requests
#   GET with keepalive: 10 requests
#   GET with no-store and authorization: 10 requests
#   POST: 2 requests
#   GET, in the middle of the answer: 1 request
#
# Exits with 1 if the behaviour changes. Needs Node 20, and apt-get with package lists. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/archives/partial" "$folder/root"
apt-get install -y -qq --download-only --reinstall --no-install-recommends -o Debug::NoLocking=1 \
  -o Dir::Cache::archives="$folder/archives" firefox-esr >"$folder/apt" 2>&1 || { cat "$folder/apt"; exit 1; }
for archive in "$folder"/archives/*.deb; do dpkg -x "$archive" "$folder/root"; done
export LD_LIBRARY_PATH="$folder/root/usr/lib/$(uname -m)-linux-gnu"
version=$(dpkg-deb -f "$folder"/archives/firefox-esr_*.deb Version | grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' | head -1)
echo "Firefox $version"
[ "$version" = 153.8.0 ] || { echo "This was seen with Firefox 153.8.0."; exit 1; }

cat >"$folder/probe.mjs" <<'PROBE'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

const [, , firefox, profile] = process.argv
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module">
const steps = {
  'GET': {},
  'GET with keepalive': { keepalive: true },
  'GET with no-store and authorization': { cache: 'no-store', headers: { authorization: 'Bearer x' } },
  'POST': { method: 'POST' },
  'GET, in the middle of the answer': {},
}
for (const [name, init] of Object.entries(steps)) {
  await (await fetch('/answered')).text()
  try { await (await fetch('/lost?' + encodeURIComponent(name), init)).text() } catch {}
}
await fetch('/done')
</script>`

const counts = new Map()
const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url, 'http://page.test')
  if (pathname === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  if (pathname === '/answered') return void response.end('answered')
  if (pathname === '/done') return end(0)
  const name = decodeURIComponent(search.slice(1))
  counts.set(name, (counts.get(name) ?? 0) + 1)
  if (!name.includes('middle')) return void request.socket.resetAndDestroy()
  response.writeHead(200, { 'content-length': 100 }).write('the beginning')
  setTimeout(() => request.socket.destroy(), 100)
})
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/`
  const options = { stdio: 'ignore', detached: true, env: { ...process.env, HOME: profile } }
  const child = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, url], options)
  globalThis.kill = () => process.kill(-child.pid, 'SIGKILL')
  child.on('error', () => process.exit(1))
})
setTimeout(() => end(1), 60_000)
function end(code) {
  for (const [name, count] of counts) console.log(`${name}: ${count} request${count === 1 ? '' : 's'}`)
  globalThis.kill()
  process.exit(code)
}
PROBE
mkdir "$folder/profile"
seen=$(node "$folder/probe.mjs" "$folder/root/usr/lib/firefox-esr/firefox-esr" "$folder/profile")
echo "$seen"
[ "$seen" = 'GET: 10 requests
GET with keepalive: 10 requests
GET with no-store and authorization: 10 requests
POST: 2 requests
GET, in the middle of the answer: 1 request' ]
