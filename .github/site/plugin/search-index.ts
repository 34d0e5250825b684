import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Application,
  type DeclarationReflection,
  PageEvent,
  type ProjectReflection,
  ReflectionKind,
  RendererEvent,
} from 'typedoc'
import { sentenceOf } from '../sentences.ts'

/** What `behaviour.js` searches: a section of a guide, a public name, or a member of one. */
interface SearchRow {
  readonly title: string
  /** The guide, or the entry of the package. */
  readonly place: string
  readonly url: string
  readonly text: string
  readonly kind: 'guide' | 'name' | 'member'
}

/**
 * Writes the index of the search in the place of TypeDoc's, which knows pages and no sections: a reader lands at the heading, and sees the text
 * that was found.
 */
export function writeSearchIndex(app: Application): void {
  let sections: SearchRow[] = []
  app.renderer.on(RendererEvent.BEGIN, () => {
    sections = []
  })
  // After the page is complete, anchors included.
  app.renderer.on(
    PageEvent.END,
    ({ model, url, contents = '' }) => {
      if (model.isProject() ? url === 'index.html' : model.isDocument())
        sections.push(...sectionsOf(model.isProject() ? 'etn-market' : model.name, url, contents))
    },
    -1_000,
  )
  app.renderer.on(RendererEvent.END, ({ project, outputDirectory }) => {
    const rows = [...sections, ...namesOf(app, project)]
    writeFileSync(join(outputDirectory, 'assets/search.js'), `globalThis.searchRows = ${JSON.stringify(rows)}\n`)
  })
}

/** The text of a page below each of its headings. */
function sectionsOf(place: string, url: string, html: string): SearchRow[] {
  const [main = ''] = html.slice(html.indexOf('class="col-content"')).split('<div class="col-sidebar">')
  // The text before the first heading is the breadcrumb.
  const [, ...parts] = main.split(/(?=<h[1-6] id=")/)
  return parts.flatMap((part) => {
    const [, id = '', heading = '', text = ''] = /^<h\d id="([^"]+)"[^>]*>(.*?)<\/h\d>(.*)$/s.exec(part) ?? []
    return { title: textOf(heading), place, url: `${url}#${id}`, text: textOf(text), kind: 'guide' }
  })
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }

const textOf = (html: string) =>
  html
    .replace(/<(button|nav|p class="sources").*?<\/(?:button|nav|p)>/gs, '')
    .replace(/<\/?(?:br|p|li|td|th|tr|pre|div|h\d)\b[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

function namesOf({ renderer: { router } }: Application, project: ProjectReflection): SearchRow[] {
  const rowOf = (it: DeclarationReflection, title: string, place: string, kind: SearchRow['kind']): SearchRow[] =>
    router?.hasUrl(it)
      ? [{ title, place, url: router.getFullUrl(it), text: sentenceOf(it).replaceAll('`', ''), kind }]
      : []
  return (project.children ?? []).flatMap((entry) => [
    ...rowOf(entry, entry.name, 'Reference', 'name'),
    ...(entry.children ?? [])
      .filter(({ kind }) => kind !== ReflectionKind.Reference)
      .flatMap((it) => [
        ...rowOf(it, it.name, entry.name, 'name'),
        ...(it.children ?? []).flatMap((member) => rowOf(member, `${it.name}.${member.name}`, entry.name, 'member')),
      ]),
  ])
}
