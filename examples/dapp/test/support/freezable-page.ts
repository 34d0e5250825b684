import { launchChromium } from './launch-chromium.ts'

/** A page that its browser may freeze. */
export interface FreezablePage {
  /** Sends a command of the Chrome DevTools Protocol. */
  send(method: string, params?: object): Promise<unknown>
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>
  close(): Promise<void>
}

/** Runs before the page's own scripts: when it opened a stream and woke, and how long it was frozen. Milliseconds. */
const RECORD = `
const streams = [], { fetch } = globalThis
let frozenAt = 0, wokenAt = 0, frozenFor = 0
globalThis.fetch = (...args) => {
  if (String(args[0]?.url ?? args[0]).includes('/stream')) streams.push(performance.now())
  return fetch(...args)
}
document.addEventListener('freeze', () => { frozenAt = performance.now() })
document.addEventListener('resume', () => { wokenAt = performance.now(); frozenFor = wokenAt - frozenAt })
`

/** Opens a page beside Playwright, whose own pages always have the focus, so that Chromium never freezes them. */
export async function openFreezable(url: string): Promise<FreezablePage> {
  const browser = await launchChromium()
  const session = await browser.newBrowserCDPSession()
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await session.send('Target.attachToTarget', { targetId })
  const replies = new Map<number, (reply: { result?: unknown; error?: unknown }) => void>()
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const reply = JSON.parse(message)
    replies.get(reply.id)?.(reply)
  })
  const send = async (method: string, params: object = {}) => {
    const id = replies.size + 1
    const replied = new Promise<{ result?: unknown; error?: unknown }>((resolve) => replies.set(id, resolve))
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) })
    const { result, error } = await replied
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  await send('Page.enable')
  await send('Page.addScriptToEvaluateOnNewDocument', { source: RECORD })
  await send('Page.navigate', { url })
  return {
    send,
    async evaluate<T>(expression: string): Promise<T> {
      const { result } = (await send('Runtime.evaluate', { expression })) as { result: { value: T } }
      return result.value
    },
    close: () => browser.close(),
  }
}
