import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path/posix'
import {
  type Application,
  type CommentDisplayPart,
  type DeclarationReflection,
  type PageDefinition,
  type ProjectReflection,
  Reflection,
  ReflectionKind,
  RendererEvent,
} from 'typedoc'
import { REPOSITORY, SUMMARY } from './contents.ts'
import { firstSentence, sentenceOf } from './sentences.ts'

/**
 * Writes what assistants read first: `llms.txt` (https://llmstxt.org) with links to the guides as Markdown and to the reference, and
 * `llms-full.txt` with the README, the guides, and each public name with its first sentence.
 */
export function writeLlmsFiles(app: Application): void {
  app.renderer.on(RendererEvent.END, ({ project, pages, outputDirectory }: RendererEvent) => {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(outputDirectory, path)), { recursive: true })
      writeFileSync(join(outputDirectory, path), `${text.trim()}\n`)
    }
    // The README has the first page of the project.
    const urls = new Map([...pages].reverse().map(({ model, url }: PageDefinition) => [model, url]))
    const urlOf = (reflection: Reflection) => urls.get(reflection) ?? ''
    const markdownUrlOf = (reflection: Reflection) =>
      reflection.isDocument() ? urlOf(reflection).replace(/\.html$/, '.md') : urlOf(reflection)
    const guides = (project.documents ?? []).map((guide) => ({
      title: guide.name,
      url: markdownUrlOf(guide),
      text: (folder: string) => textOf(guide.content, project, markdownUrlOf, folder),
    }))
    const entries = (project.children ?? []).map((entry) => ({
      name: entry.name,
      url: urlOf(entry),
      sentence: sentenceOf(entry),
      exports: exportsOf(entry).map((it) => ({
        name: it.name,
        kind: kindOf(it),
        sentence: sentenceOf(it),
      })),
    }))

    for (const { url, text } of guides) write(url, text(dirname(url)))
    write(
      'llms.txt',
      [
        `# etn-market\n\n> ${SUMMARY} \`npm install etn-market\``,
        `## Guides\n\n${guides.map(({ title, url, text }) => `- [${title}](${url}): ${firstSentence(text('.'))}`).join('\n')}`,
        `## Reference\n\n${entries.map(({ name, url, sentence }) => `- [${name}](${url}): ${sentence}`).join('\n')}`,
        `## Optional\n\n- [Everything in one file](llms-full.txt): the README, the guides, and every public name\n- [Changes](${REPOSITORY}/blob/main/CHANGELOG.md): what each version changes`,
      ].join('\n\n'),
    )
    const readme = textOf(project.readme ?? [], project, markdownUrlOf, '.')
    const reference = entries.map(({ name, sentence, exports }) =>
      [`## ${name}`, sentence, exports.map((it) => `- \`${it.name}\` (${it.kind}): ${it.sentence}`).join('\n')].join(
        '\n\n',
      ),
    )
    write('llms-full.txt', [readme, ...guides.map(({ text }) => text('.')), '# Reference', ...reference].join('\n\n'))
  })
}

/** The Markdown of a document, with links for a file in a folder of the site. */
function textOf(
  parts: readonly CommentDisplayPart[],
  project: ProjectReflection,
  urlOf: (target: Reflection) => string,
  folder: string,
): string {
  const texts = parts.map((part) => {
    if (part.kind === 'inline-tag') return part.target instanceof Reflection ? `\`${part.text}\`` : part.text
    if (part.kind !== 'relative-link' || part.target === undefined) return part.text
    const target = project.files.resolve(part.target, project)
    const path = typeof target === 'object' ? urlOf(target) : `media/${project.files.getName(part.target)}`
    const url = relative(folder, path)
    return part.targetAnchor === undefined ? url : `${url}#${part.targetAnchor}`
  })
  return texts.join('').trim()
}

/** In the order of the page. */
const exportsOf = (entry: DeclarationReflection): DeclarationReflection[] =>
  (entry.categories?.flatMap(({ children }) => children) ?? entry.children ?? []).filter(
    (it): it is DeclarationReflection => it.isDeclaration(),
  )

const kindOf = ({ kind }: DeclarationReflection) => ReflectionKind.singularString(kind).toLowerCase()
