import { existsSync, statSync } from 'node:fs'
import { dirname, extname, relative, resolve, sep } from 'node:path'
import { type Application, type CommentDisplayPart, Converter, type ProjectReflection } from 'typedoc'
import { REPOSITORY } from '../contents.ts'

/** These are copied to the site. */
const IMAGES = ['.svg', '.png', '.webp']

/**
 * The README and the guides link to files and folders of the repository. Other guides and pictures are part of the site; everything
 * else becomes a link to GitHub.
 */
export function linkRepository(
  app: Application,
  { root, readme, revision }: { root: string; readme: string; revision: string },
): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const rewrite = (parts: readonly CommentDisplayPart[], from: string) =>
      parts.map((part) => (part.kind === 'relative-link' ? linkOf(project, part, from) : part))

    const linkOf = (
      project: ProjectReflection,
      part: CommentDisplayPart & { kind: 'relative-link' },
      from: string,
    ): CommentDisplayPart => {
      const [path = '', anchor] = part.text.split('#')
      const absolute = resolve(dirname(from), decodeURI(path))
      if (!existsSync(absolute)) {
        app.logger.warn(`${relative(root, from)} links to ${part.text}, which does not exist`)
        return part
      }
      const isOnSite = part.target !== undefined && typeof project.files.resolve(part.target, project) === 'object'
      if (isOnSite || IMAGES.includes(extname(absolute))) return part
      const kind = statSync(absolute).isDirectory() ? 'tree' : 'blob'
      const url = `${REPOSITORY}/${kind}/${revision}/${relative(root, absolute).split(sep).join('/')}`
      return { kind: 'text', text: anchor === undefined ? url : `${url}#${anchor}` }
    }

    if (project.readme !== undefined) project.readme = rewrite(project.readme, readme)
    for (const guide of project.documents ?? []) {
      const path = project.files.getReflectionPath(guide)
      if (path !== undefined) guide.content = rewrite(guide.content, path)
    }
  })
}
