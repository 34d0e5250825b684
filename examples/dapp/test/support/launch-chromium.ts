import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const EXECUTABLES = [
  process.env.CHROMIUM_PATH,
  // Draws no windows, and needs half of the time of `chromium`.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launchChromium(): Promise<Browser> {
  const executablePath = EXECUTABLES.find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined)
    throw new Error('Chromium is not installed: apt-get install chromium-headless-shell')
  return chromium.launch({ executablePath, args: ARGS })
}
