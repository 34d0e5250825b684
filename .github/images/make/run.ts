/**
 * Makes all pictures: `npm run pictures`. The market page and the chart of candles need Chromium, `npm ci --prefix
 * examples/dapp` and `npm ci --prefix test/matrix`; `--plots` leaves them out.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IMAGES, PICTURES } from './pictures.ts'
import { fingerprint, hashFile, PAGE, TAKEN } from './taken.ts'

for (const [name, draw] of Object.entries(PICTURES)) writeFileSync(`${IMAGES}${name}.svg`, await draw())
if (!process.argv.includes('--plots')) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  for (const [command, args, cwd] of [
    ['npm', ['run', 'pictures', '--silent'], PAGE],
    ['npx', ['tsx', 'test/matrix/candles/take-picture.ts'], root],
  ] as const) {
    const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
    if (status !== 0) throw new Error(`The pictures were not taken: ${command} ${args.join(' ')}`)
  }
  for (const taken of Object.values(TAKEN)) writeFileSync(hashFile(taken), `${fingerprint(taken)}\n`)
}
