#!/usr/bin/env bash
# Biome 2.5.15: `noFloatingPromises` does not see the promise of a method whose type is an intersection.
#
# Three methods return a promise. One is declared as a method; one has an object type with a call signature and a property; one has the same as an
# intersection of a function type and an interface, which is how libraries give a function properties of its own.
# One would expect a report for each call that nobody awaits, because TypeScript resolves all three to the same promise, and
# typescript-eslint's rule of the same name reports all three.
# Seen: Biome reports the first two. The rule is in its "nursery" group.
#
# Output seen on 2026-11-28:
#   Biome 2.5.15
#   reported: method signature
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @biomejs/biome@2.5.15
echo "Biome $(npx biome --version | grep -o '[0-9.]\+')"

cat >biome.json <<'CONFIG'
{ "linter": { "rules": { "nursery": { "noFloatingPromises": "error" } } } }
CONFIG
cat >calls.ts <<'CODE'
interface Tools {
  estimate(): number
}
interface Client {
  method(): Promise<number>
  signature: { (): Promise<number>; estimate(): number }
  intersection: Tools & (() => Promise<number>)
}
declare const client: Client
export function callAll() {
  client.method()
  client.signature()
  client.intersection()
}
CODE
lines=$({ npx biome lint --reporter=github calls.ts 2>/dev/null || true; } | grep -o 'noFloatingPromises,.*,line=[0-9]*' | grep -o '[0-9]*$')
names=$(for line in $lines; do sed -n "${line}s/.*client\.\([a-z]*\).*/\1/p" calls.ts; done | paste -sd' ')
echo "reported: $names"
[ "$names" = 'method signature' ] || { echo "The behaviour has changed."; exit 1; }
