import { type Application, Comment, PageEvent, type Reflection } from 'typedoc'
import { PICTURE, SITE, SUMMARY } from '../contents.ts'
import { firstSentence, sentenceOf } from '../sentences.ts'

const DESCRIPTION = /<meta name="description" content="[^"]*"\/>/

/** Says what a page is about to search engines, and to what shows a preview of a link (Open Graph). */
export function describePages(app: Application): void {
  app.renderer.on(PageEvent.END, (page) => {
    const { model, url, contents } = page
    if (contents === undefined) return
    const title = /<title>(.*?)<\/title>/.exec(contents)?.[1] ?? ''
    const description = escapeHtml(descriptionOf(model))
    const tags = {
      'og:type': 'website',
      'og:site_name': 'etn-market',
      'og:title': title,
      'og:description': description,
      'og:url': SITE + (url === 'index.html' ? '' : url),
      'og:image': SITE + PICTURE.path,
      'og:image:alt': PICTURE.alt,
      'twitter:card': 'summary_large_image',
    }
    if (!DESCRIPTION.test(contents)) app.logger.warn(`${url} has no description: social-card.ts`)
    const forSearch = `<meta name="description" content="${description}"/>`
    const card = Object.entries(tags).map(([name, content]) => `<meta property="${name}" content="${content}"/>`)
    page.contents = contents.replace(DESCRIPTION, () => [forSearch, ...card].join(''))
  })
}

function descriptionOf(model: Reflection): string {
  if (model.isDocument()) return firstSentence(Comment.combineDisplayParts(model.content))
  return (model.isDeclaration() && sentenceOf(model)) || SUMMARY
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('`', '')
