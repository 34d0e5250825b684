import { relative } from 'node:path/posix'
import { type Application, type DocumentReflection, PageEvent } from 'typedoc'

/** Where the text of a page ends in TypeDoc's markup. */
const END = '</div>\n<div class="col-sidebar">'

/** Leads from the end of a guide to the one before it and the one after it. */
export function linkNeighbours(app: Application): void {
  app.renderer.on(PageEvent.END, (page) => {
    const { model, project, url, contents } = page
    if (contents === undefined || !model.isDocument()) return
    const guides = project.documents ?? []
    const index = guides.indexOf(model)
    const linkTo = (rel: 'prev' | 'next', label: string, guide: DocumentReflection | undefined) => {
      const target = guide && app.renderer.router?.getFullUrl(guide)
      if (guide === undefined || target === undefined) return ''
      const href = relative(`/${url}/..`, `/${target}`)
      return `<a rel="${rel}" href="${href}"><small>${label}</small>${guide.name}</a>`
    }
    const links = linkTo('prev', 'Previous', guides[index - 1]) + linkTo('next', 'Next', guides[index + 1])
    if (!contents.includes(END)) app.logger.warn(`${url} has no place for its neighbours: neighbours.ts`)
    page.contents = contents.replace(END, `<nav class="neighbours" aria-label="Guides">${links}</nav>${END}`)
  })
}
