import { existsSync } from 'node:fs'
import { CHROMIUM_FLAGS, CHROMIUM_MISSING, findChromium } from '../../support/chromium.ts'
import { execOrThrow } from '../support/exec.ts'
import { NotInstalledError } from '../support/result.ts'
import type { Browser } from './pages.ts'

export function requireChromium(): string {
  const path = findChromium()
  if (path === undefined) throw new NotInstalledError(CHROMIUM_MISSING)
  return path
}

/** What `browser/vitest.config.ts` reads, which is copied to the folder of each project. */
export const chromiumSettings = () => ({
  MATRIX_CHROMIUM: requireChromium(),
  MATRIX_CHROMIUM_FLAGS: CHROMIUM_FLAGS.join(' '),
})

export const chromium: Browser = {
  name: 'Chromium',
  maxResends: 2,
  version: () => versionOf(requireChromium()),
  command: (url, profile) => ({
    program: requireChromium(),
    args: ['--headless=new', ...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, url],
  }),
}

const FIREFOX = '/usr/bin/firefox-esr'

export const firefox: Browser = {
  name: 'Firefox',
  maxResends: 9,
  version: () => versionOf(requireProgram(FIREFOX, 'firefox-esr')),
  command: (url, profile) => ({
    program: FIREFOX,
    args: ['--headless', '--no-remote', '--profile', profile, url],
    env: { HOME: profile },
  }),
}

const MINI_BROWSER = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`

const WEBKIT_PACKAGE = 'libwebkit2gtk-4.1-0'

/** The engine of Safari, with the network of GNOME. Its small browser needs a display. */
export const webKit: Browser = {
  name: 'WebKitGTK',
  maxResends: 1,
  async version() {
    requireProgram(MINI_BROWSER, WEBKIT_PACKAGE)
    const shown = await execOrThrow('dpkg-query', ['--show', WEBKIT_PACKAGE])
    return versionIn(shown.split('\t')[1])
  },
  command: (url, profile) => ({
    program: requireProgram('/usr/bin/xvfb-run', 'xvfb xauth'),
    args: ['--auto-servernum', MINI_BROWSER, url],
    env: { HOME: profile },
  }),
}

function requireProgram(path: string, packages: string): string {
  if (!existsSync(path)) throw new NotInstalledError(`apt-get install ${packages}`)
  return path
}

const versionOf = async (program: string) => versionIn(await execOrThrow(program, ['--version']))

const versionIn = (text = '') => /\d+(\.\d+)+/.exec(text)?.[0] ?? 'unknown'
