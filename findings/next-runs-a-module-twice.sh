#!/usr/bin/env bash
# Next 16.4.6: a module that a page and a route handler import runs twice in one process, unless the app is built with webpack.
#
# `next build` and `next start` have their defaults. A page adds one to a counter of a module, and a route handler returns that counter.
# One would expect one counter: a module runs once in a process, and nothing is edited as in `next dev`.
# Seen: there are two counters. Pages share one copy of the module, route handlers the other one. What a program keeps in a module, such as a limit
# or a connection, exists twice. An object at `globalThis` exists once. Built with `--webpack`, the same app has one counter.
# Related: https://github.com/vercel/next.js/issues/65350 and https://github.com/vercel/next.js/issues/49309, of builds with webpack.
#
# Output seen on 2026-11-28:
#   next 16.4.6, next build
#   after 3 visits of a page: { pages: 3, routes: 0, global: 3, oneProcess: true }
#   next 16.4.6, next build --webpack
#   after 3 visits of a page: { pages: 3, routes: 3, global: 3, oneProcess: true }
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm. Only loopback is used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export NEXT_TELEMETRY_DISABLED=1
npm install --silent --no-audit --no-fund --prefix . next@16.4.6 react@19.3.1 react-dom@19.3.1 >/dev/null

mkdir -p app/counter
cat >app/state.js <<'MODULE'
export const state = { count: 0 }
export const shared = (globalThis.sharedState ??= { count: 0 })
MODULE
cat >app/layout.js <<'MODULE'
export default ({ children }) => <html><body>{children}</body></html>
MODULE
cat >app/page.js <<'MODULE'
import { connection } from 'next/server'
import { shared, state } from './state'

export default async function Page() {
  await connection()
  state.count++
  shared.count++
  return <p>{`pages=${state.count} process=${process.pid}`}</p>
}
MODULE
cat >app/counter/route.js <<'MODULE'
import { shared, state } from '../state'

export const dynamic = 'force-dynamic'
export const GET = () => Response.json({ routes: state.count, global: shared.count, process: process.pid })
MODULE
echo '{ "private": true, "dependencies": { "next": "16.4.6", "react": "19.3.1", "react-dom": "19.3.1" } }' >package.json

cat >probe.mjs <<'PROBE'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const next = 'node_modules/next/dist/bin/next'
const { version } = JSON.parse(readFileSync('node_modules/next/package.json', 'utf8'))
for (const options of [[], ['--webpack']]) {
  console.log(['next', `${version},`, 'next build', ...options].join(' '))
  const built = spawnSync(process.execPath, [next, 'build', ...options], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stdout + built.stderr)
  const server = spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1', '--port', '0'])
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  let printed = ''
  for await (const part of server.stdout) {
    printed += part
    if (/Ready/.test(printed)) break
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
  let page = ''
  for (let visit = 0; visit < 3; visit++) page = await (await fetch(`${origin}/`)).text()
  const [, pages, pageProcess] = /pages=(\d+) process=(\d+)/.exec(page)
  const { routes, global, process: routeProcess } = await (await fetch(`${origin}/counter`)).json()
  const oneProcess = Number(pageProcess) === routeProcess
  console.log('after 3 visits of a page:', { pages: Number(pages), routes, global, oneProcess })
  kill()
  await once(server, 'exit')
}
process.exit()
PROBE
node probe.mjs | tee seen
diff - seen <<'SEEN' || { echo "The behaviour has changed."; exit 1; }
next 16.4.6, next build
after 3 visits of a page: { pages: 3, routes: 0, global: 3, oneProcess: true }
next 16.4.6, next build --webpack
after 3 visits of a page: { pages: 3, routes: 3, global: 3, oneProcess: true }
SEEN
