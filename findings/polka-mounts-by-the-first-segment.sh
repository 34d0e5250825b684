#!/usr/bin/env bash
# polka 0.5.2: a handler that is mounted at a path of two segments is never called.
#
# `app.use('/api/market', handler)` mounts a handler. The README calls the first argument the base path on which middleware is mounted, more specific
# than `/`. It names no limit of segments; with Express such a path works.
# One would expect that a request for `/api/market/price` reaches the handler, or that `use` refuses such a path.
# Seen: `use` accepts it, and the request gets 404. Requests look for a handler by their first segment alone, here `/api`.
#
# Output seen on 2026-11-28:
#   mounted at /api:        GET /api/market/price -> 200 /market/price
#   mounted at /api/market: GET /api/market/price -> 404 Not Found
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . polka@0.5.2 >/dev/null

cat >mount.cjs <<'PROGRAM'
const polka = require('polka')

async function ask(base) {
  const app = polka().use(base, (request, response) => response.end(request.url))
  await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve))
  const answer = await fetch(`http://127.0.0.1:${app.server.address().port}/api/market/price`)
  console.log(`${`mounted at ${base}:`.padEnd(23)} GET /api/market/price -> ${answer.status} ${await answer.text()}`)
  app.server.close()
}

ask('/api').then(() => ask('/api/market')).then(() => process.exit())
PROGRAM
node mount.cjs | tee seen
diff seen - <<'EXPECTED'
mounted at /api:        GET /api/market/price -> 200 /market/price
mounted at /api/market: GET /api/market/price -> 404 Not Found
EXPECTED
