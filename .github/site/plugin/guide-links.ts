import { dirname, relative } from 'node:path/posix'
import {
  type Application,
  DeclarationReflection,
  type DocumentReflection,
  PageEvent,
  type ProjectReflection,
} from 'typedoc'
import { GUIDES } from '../contents.ts'
import { END_OF_TEXT } from './neighbours.ts'

/** Leads from each page of the reference to the guide beside its code, or to the nearest one above it. */
export function linkGuides(app: Application): void {
  app.renderer.on(PageEvent.END, (page) => {
    const { model, project, url, contents } = page
    if (contents === undefined || !(model instanceof DeclarationReflection)) return
    const guide = guideOf(project, model.sources?.[0]?.fileName)
    const target = guide && app.renderer.router?.getFullUrl(guide)
    if (guide === undefined || target === undefined) return
    const link = `<p class="sources"><a href="${relative(`/${url}/..`, `/${target}`)}">Guide: ${guide.name}</a></p>`
    page.contents = contents.replace(END_OF_TEXT, link + END_OF_TEXT)
  })
}

function guideOf({ documents = [] }: ProjectReflection, file = ''): DocumentReflection | undefined {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    const index = GUIDES.indexOf(`${folder}/GUIDE.md`)
    if (index >= 0) return documents[index]
  }
  return undefined
}
