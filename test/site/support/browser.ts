import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const EXECUTABLES = [
  process.env.CHROMIUM_PATH,
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

export function launchBrowser(): Promise<Browser> {
  const executablePath = EXECUTABLES.find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined) throw new Error('Chromium is not installed: apt-get install chromium')
  return chromium.launch({ executablePath, args: ARGS })
}

/** Collects what the pages of a context report: errors, messages of the console, requests that fail. */
export function collectProblems(context: BrowserContext): string[] {
  const problems: string[] = []
  context.on('weberror', (error) => problems.push(`${error.page()?.url()}: ${error.error().message}`))
  context.on('console', (message) => problems.push(`${message.page()?.url()}: ${message.type()}: ${message.text()}`))
  context.on('requestfailed', (request) => {
    // The next page was opened before it ended.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      problems.push(`${request.frame().url()}: ${request.url()} ${request.failure()?.errorText}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.frame().url()}: ${response.url()} ${response.status()}`)
  })
  return problems
}
