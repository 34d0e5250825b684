#!/usr/bin/env bash
# unstorage 1.17.6: two keys that differ after a `?` are one key, also in memory.
#
# A storage without a driver keeps its items in memory. A program uses URLs as keys, such as one for each page of a list.
# One would expect an item for each key, or an error for a key that cannot be used.
# Seen: what follows `?` is dropped, so the second item replaces the first one, and is returned for a key that was never set. `/`, `\` and `:`
# are one character, too.
#
# Output seen on 2026-11-28:
#   prices?page=1 -> second
#   prices?page=2 -> second
#   prices?page=3 -> second
#   keys: prices
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . unstorage@1.17.6 >/dev/null

cat >keys.mjs <<'PROGRAM'
import { createStorage } from 'unstorage'

const storage = createStorage()
await storage.setItem('prices?page=1', 'first')
await storage.setItem('prices?page=2', 'second')
for (const page of [1, 2, 3]) console.log(`prices?page=${page} -> ${await storage.getItem(`prices?page=${page}`)}`)
console.log(`keys: ${await storage.getKeys()}`)
PROGRAM
node keys.mjs | tee seen
diff seen - <<'EXPECTED'
prices?page=1 -> second
prices?page=2 -> second
prices?page=3 -> second
keys: prices
EXPECTED
