import { type Application, PageEvent } from 'typedoc'

const PERMALINK = /<a [^>]*class="tsd-anchor-icon">(?:(?!<\/a>).)*<\/a>(?=<\/h\d><\/summary>)/g

/** Adds to TypeDoc's pages what a screen reader needs: landmarks with names, headings in order, no link within a button. */
export function makePagesAccessible(app: Application): void {
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents === undefined) return
    page.contents = numberHeadings(page.contents)
      .replace('<div class="col-content">', '<div class="col-content" role="main">')
      .replace('<div class="page-menu">', '<div class="page-menu" role="complementary" aria-label="This page">')
      .replace('<nav id="tsd-sidebar-links"', '<nav id="tsd-sidebar-links" aria-label="Elsewhere"')
      .replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Guides and reference">')
      .replace(PERMALINK, '')
  })
}

/** A heading is at most one level below the one before it. The names of elements stay, and so what they look like. */
function numberHeadings(html: string): string {
  let last = 0
  return html.replace(/<h([1-6])(?=[\s>])/g, (tag, digit) => {
    const level = Math.min(Number(digit), last + 1)
    last = level
    return level === Number(digit) ? tag : `${tag} aria-level="${level}"`
  })
}
