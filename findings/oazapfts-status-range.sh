#!/usr/bin/env bash
# oazapfts 7.5.0: a range of statuses becomes TypeScript that does not compile.
#
# OpenAPI 3 allows a range of statuses as the key of a response, such as `5XX`.
# One would expect a type that compiles, or a message that ranges are not supported.
# Seen: the program succeeds, and writes `status: 5XX;` into the types. TypeScript refuses the file (TS1351).
#
# Output seen on 2026-11-27:
#   oazapfts: exit code 0
#   status: 5XX;
#   error TS1351
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . oazapfts@7.5.0 typescript@5.9.3 >/dev/null

cat >document.json <<'JSON'
{
  "openapi": "3.1.0", "info": { "title": "Prices", "version": "1" },
  "paths": { "/price": { "get": { "operationId": "getPrice", "responses": {
    "200": { "description": "A price", "content": { "application/json": { "schema": { "type": "string" } } } },
    "5XX": { "description": "Failed", "content": { "application/json": { "schema": { "type": "string" } } } } } } } }
}
JSON
code=0
npx oazapfts document.json api.ts >log 2>&1 || code=$?
seen="oazapfts: exit code $code
$(grep -o 'status: 5XX;' api.ts)
$({ npx tsc --noEmit --skipLibCheck api.ts || true; } | grep -o 'error TS1351' | head -1)"
echo "$seen"
[ "$seen" = 'oazapfts: exit code 0
status: 5XX;
error TS1351' ]
