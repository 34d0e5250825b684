/** Where Chromium is, and the flags with which tests start it: as root, without a GPU, and silent on the network. */
import { existsSync } from 'node:fs'

const EXECUTABLES = [
  process.env.CHROMIUM_PATH,
  // Draws no windows, and needs half of the time of `chromium`.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const CHROMIUM_MISSING = 'Chromium is not installed: apt-get install chromium-headless-shell'

/** Returns `undefined` if it is not installed. */
export const findChromium = (): string | undefined =>
  EXECUTABLES.find((path): path is string => path !== undefined && existsSync(path))
