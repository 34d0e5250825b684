import { basename, relative } from 'node:path/posix'
import { type Application, type DocumentReflection, PageEvent } from 'typedoc'
import { GUIDES, REPOSITORY } from '../contents.ts'

/** Where the text of a page ends in TypeDoc's markup. */
export const END_OF_TEXT = '</div>\n<div class="col-sidebar">'

/** Leads from the end of a guide to its text as Markdown, to the file that it is made of, to the guide before it and to the one after it. */
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
    const markdown = basename(url).replace(/\.html$/, '.md')
    const sources = `<p class="sources"><a href="${markdown}">This guide as Markdown</a> <a href="${REPOSITORY}/blob/main/${GUIDES[index]}">Its source on GitHub</a></p>`
    const links = linkTo('prev', 'Previous', guides[index - 1]) + linkTo('next', 'Next', guides[index + 1])
    if (!contents.includes(END_OF_TEXT)) app.logger.warn(`${url} has no place for its neighbours: neighbours.ts`)
    page.contents = contents.replace(
      END_OF_TEXT,
      `${sources}<nav class="neighbours" aria-label="Guides">${links}</nav>${END_OF_TEXT}`,
    )
  })
}
