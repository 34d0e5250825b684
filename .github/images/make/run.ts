/**
 * Makes all pictures: `npm run pictures`. The market page needs Chromium and `npm ci --prefix examples/dapp`; `--plots` leaves it out.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fingerprintPage, MARKET_SOURCES, PAGE } from './market-page.ts'
import { IMAGES, PICTURES } from './pictures.ts'

for (const [name, draw] of Object.entries(PICTURES)) writeFileSync(`${IMAGES}${name}.svg`, await draw())
if (!process.argv.includes('--plots')) {
  const { status } = spawnSync('npm', ['run', 'pictures', '--silent'], { cwd: PAGE, stdio: 'inherit' })
  if (status !== 0) throw new Error('The pictures of the market page were not taken')
  writeFileSync(MARKET_SOURCES, `${fingerprintPage()}\n`)
}
