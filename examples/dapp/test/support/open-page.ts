import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { launchChromium } from './launch-chromium.ts'

export interface OpenOptions extends BrowserContextOptions {
  /** Messages of the console that the test provokes, such as the browser's own about an HTTP error. @default none */
  expected?: RegExp
  /** A text by which the page is there. @default the heading of a view */
  heading?: string
  /** Runs in the page before its own scripts, with this value. */
  beforeLoad?: readonly [script: (value: number) => void, value: number]
}

/** React's development build reports each render to the browser's profiler: a sixth of what a page takes. */
function leaveOutProfiler(): void {
  Object.assign(console, { createTask: undefined, timeStamp: undefined })
}

/** Returns a function that opens a page. The test fails if the page writes to the console. */
export function usePages(): (url: string, options?: OpenOptions) => Promise<Page> {
  let browser: Browser
  /** One for all pages with the same options, which loads their scripts from its memory. */
  const contexts = new Map<string, Promise<BrowserContext>>()

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  async function createContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    await context.addInitScript(leaveOutProfiler)
    return context
  }

  return async (url, { expected = /^$/, heading, beforeLoad, ...options } = {}) => {
    const key = JSON.stringify(options)
    const context = contexts.get(key) ?? createContext(options)
    contexts.set(key, context)
    const page = await (await context).newPage()
    if (beforeLoad) await page.addInitScript(...beforeLoad)
    const messages: string[] = []
    page.on('pageerror', (error) => messages.push(`thrown: ${error.message}`))
    page.on('console', (message) => {
      // Vite and React greet developers by these two.
      const isTool = ['debug', 'info'].includes(message.type()) && /vite|React DevTools/.test(message.text())
      if (!isTool && !expected.test(message.text()))
        messages.push(`${message.type()}: ${message.text()} ${message.location().url}`)
    })
    onTestFinished(async () => {
      await page.close()
      expect(messages).toEqual([])
    })
    await page.goto(url)
    await (heading ? page.getByText(heading) : page.getByRole('heading', { level: 1 })).first().waitFor()
    return page
  }
}
