import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright'
import { follow } from '../../support/child.ts'
import { CHROMIUM_FLAGS } from '../../support/chromium.ts'
import { requireChromium } from '../runtimes/browsers.ts'
import { check } from '../scenario/check.ts'
import { cleanEnv } from '../support/exec.ts'
import type { Project } from '../support/project.ts'
import type { Check } from '../support/result.ts'

const TOKEN = 'secret'
/** The page asks the fake once a second. */
const POLLED_MS = 1_500

/** Uses the page at `/_fake` of the installed program with the keyboard alone. */
export const controlPage: Check = {
  name: 'the page of etn-market fake in Chromium',
  run: (installed) => usePage(installed.project('page')),
}

async function usePage(project: Project) {
  const executablePath = requireChromium()
  const program = join(project.folder, 'node_modules/.bin/etn-market')
  const args = ['fake', '--port', '0', '--key', 'mine=1000', '--control-token', TOKEN]
  const child = follow(
    spawn(program, args, { cwd: project.folder, env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
  try {
    const [, url = ''] = await child.prints(/Listening on (\S+)\n/)
    const page = await browser.newPage()
    await useKeyboard(page, url)
    return { version: browser.version(), detail: 'ledger, journal and faults, by keyboard' }
  } finally {
    await browser.close()
    child.process.kill()
    await child.ended()
  }
}

async function useKeyboard(page: Page, baseUrl: string): Promise<void> {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) errors.push(message.text())
  })
  const { origin } = new URL(baseUrl)
  const price = () => fetch(`${baseUrl}/prices/etn`, { headers: { authorization: 'Bearer mine' } })
  const control = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { 'x-fake-control-token': TOKEN }, ...(body && { body: JSON.stringify(body) }) }
    return (await fetch(`${origin}/_fake/${path}`, init)).json()
  }
  const { keyboard } = page
  /** Presses a key until the focus is on the control with this name. */
  const moveTo = async (name: string, key = 'Tab') => {
    for (let presses = 0; presses < 12; presses++) {
      if ((await focusedName(page)) === name) return
      await keyboard.press(key)
    }
    throw new Error(`The keyboard does not reach ${JSON.stringify(name)}.`)
  }
  const shows = (selector: string, text: string) => page.locator(selector, { hasText: text }).first().waitFor()

  for (const status of [500, 502]) await control('POST', 'faults', { operation: 'etn.price', status })
  await page.goto(`${origin}/_fake`)
  await shows('#status', 'The header x-fake-control-token is missing or wrong.')
  await moveTo('Control token')
  await keyboard.type(TOKEN)
  await keyboard.press('Tab')
  await shows('#status', '0 credits charged, 0 requests')
  await shows('#faults', 'status 500 on etn.price')

  // Removing the focused fault moves the focus to the next one, and an update keeps it.
  await moveTo('Remove fault 1')
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)
  if (outline !== 'solid') throw new Error(`The focus is not visible: outline ${outline}.`)
  await keyboard.press('Enter')
  await page.locator('#faults', { hasText: 'status 500' }).waitFor({ state: 'detached' })
  const left: { id: number }[] = await control('GET', 'faults')
  const ids = left.map(({ id }) => id)
  check('faults', ids, [2])
  check('focus', await focusedName(page), 'Remove fault 2')
  await price()
  await price()
  await shows('#journal tr', '/prices/etn')
  await shows('#journal', '502')
  await shows('#ledger tr', 'etn.price')
  await shows('#status', '25 credits charged, 2 requests')
  check('hits', await page.locator('#faults td').nth(1).textContent(), '1')
  check('focus', await focusedName(page), 'Remove fault 2')

  await moveTo('Pause', 'Shift+Tab')
  await keyboard.press('Space')
  check('paused', await page.locator('#pause').getAttribute('aria-pressed'), 'true')
  await price()
  await page.waitForTimeout(POLLED_MS)
  check('rows', await page.locator('#journal tr').count(), 2)
  await keyboard.press('Space')
  await shows('#status', '50 credits charged, 3 requests')

  await moveTo('Reset')
  await keyboard.press('Enter')
  await shows('#status', '0 credits charged, 0 requests')
  check('rows after the reset', await page.locator('tbody tr').count(), 0)
  check('journal', await control('GET', 'journal'), [])
  check('errors', errors, [])
}

/** The label of the focused control, as assistive technology reads it. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (element === null) return ''
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').trim()
  })
}
