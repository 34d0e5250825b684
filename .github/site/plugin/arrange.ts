import { readdirSync } from 'node:fs'
import {
  type Application,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  type ProjectReflection,
  ReflectionCategory,
} from 'typedoc'
import { GROUPS, GUIDES } from '../contents.ts'

/** Before TypeDoc makes categories of its own. */
const FIRST = 10_000

/** Names each guide after its heading, puts the guides before the reference, and the exports of an entry into its groups. */
export function arrangeContents(app: Application): void {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, guide: DocumentReflection) => {
    const text = guide.content[0]?.text ?? ''
    const [, title] = /^# (.+)$/m.exec(text) ?? []
    if (title === undefined) app.logger.warn(`${guide.name}: a guide begins with "# " and its title`)
    else guide.name = title
  })
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const path of unlistedGuides()) app.logger.warn(`${path} is not in GUIDES of .github/site/contents.ts`)
      project.categories = [category('Guides', project.documents ?? []), category('Reference', project.children ?? [])]
      for (const entry of project.children ?? []) arrangeEntry(app, project, entry)
    },
    FIRST,
  )
}

function arrangeEntry(app: Application, project: ProjectReflection, entry: DeclarationReflection): void {
  const groups = GROUPS[entry.name]
  if (groups === undefined) return
  const exports = [...(entry.children ?? [])].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  const members = new Map<string, DeclarationReflection[]>(groups.map(([group]) => [group, []]))
  for (const reflection of exports) {
    const file = fileOf(project, reflection)
    const group = groups.find(([, patterns]) => patterns.some((it) => it.test(reflection.name) || it.test(file)))
    if (group === undefined) app.logger.warn(`${entry.name}: ${reflection.name} of ${file} belongs to none of GROUPS`)
    else members.get(group[0])?.push(reflection)
  }
  entry.categories = groups.map(([group]) => category(group, members.get(group) ?? []))
  for (const { title } of entry.categories.filter(({ children }) => children.length === 0))
    app.logger.warn(`${entry.name}: nothing belongs to "${title}" of GROUPS`)
}

function category(title: string, children: ReflectionCategory['children']): ReflectionCategory {
  const result = new ReflectionCategory(title)
  result.children = children
  return result
}

function fileOf(project: ProjectReflection, reflection: DeclarationReflection): string {
  const source = reflection.sources?.[0]?.fileName ?? project.getSymbolIdFromReflection(reflection)?.packagePath
  return source ?? ''
}

function unlistedGuides(): string[] {
  return ['src', 'examples'].flatMap(guidesBelow).filter((path) => !GUIDES.includes(path))
}

/** Installed packages are left out: they are many, and one of them is a link to this one. */
function guidesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : guidesBelow(path)
    return entry.name === 'GUIDE.md' ? [path] : []
  })
}
