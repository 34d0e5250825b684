#!/usr/bin/env bash
# asciichart 1.5.25: the axis of a series whose values are all the same shows another value.
#
# One would expect the label of the only row to be the value, as it is for every other series.
# Seen: three values of 0.5 are drawn beside the label 1.00, three of 0.2 beside 0.00. With one value that differs a little, the labels are right.
#
# Output seen on 2026-11-27:
#   0.5 0.5 0.5 -> 1.00
#   0.2 0.2 0.2 -> 0.00
#   0.5 0.5 0.504 -> 0.50 0.50
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . asciichart@1.5.25 >/dev/null

cat >probe.cjs <<'PROBE'
const { plot } = require('asciichart')
for (const series of [[0.5, 0.5, 0.5], [0.2, 0.2, 0.2], [0.5, 0.5, 0.504]]) {
  const labels = plot(series, { height: 1 }).split('\n').map((line) => /[\d.]+/.exec(line)?.[0])
  console.log(`${series.join(' ')} -> ${labels.join(' ')}`)
}
PROBE
seen=$(node probe.cjs)
echo "$seen"
[ "$seen" = '0.5 0.5 0.5 -> 1.00
0.2 0.2 0.2 -> 0.00
0.5 0.5 0.504 -> 0.50 0.50' ]
