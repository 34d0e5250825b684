import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, CHROMIUM_MISSING, findChromium } from '../../support/chromium.ts'

export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error(CHROMIUM_MISSING)
  return chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
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
