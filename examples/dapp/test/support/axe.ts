import axeCore from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  /** In the page, once it is loaded there. */
  var axe: typeof import('axe-core') | undefined
}

/** Serious findings of axe, by all rules or these. It takes as long as there are elements, so it looks at the first rows of a table. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source)
  return page.evaluate(async (values) => {
    // A colour on its way to another one has a contrast of its own.
    await Promise.allSettled(
      document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? [each.finished] : [])),
    )
    const options = { resultTypes: ['violations' as const], ...(values && { runOnly: [...values] }) }
    const { violations = [] } = (await globalThis.axe?.run({ exclude: 'tbody tr:nth-child(n+11)' }, options)) ?? {}
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
}
