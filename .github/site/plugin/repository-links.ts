import { existsSync, statSync } from 'node:fs'
import { dirname, extname, relative, resolve, sep } from 'node:path'
import { type Application, type CommentDisplayPart, Converter, normalizePath, type ProjectReflection } from 'typedoc'
import { REPOSITORY } from '../contents.ts'

/** These are copied to the site. */
const IMAGES = ['.svg', '.png', '.webp']
/** Where a guide shows a picture that is not in the package. */
const PICTURE = new RegExp(`(?<=\\]\\()${REPOSITORY}/raw/main/([^)\\s]+)(?=\\))`)

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
      parts
        .flatMap((part) => (part.kind === 'text' ? copyPictures(project, part.text, from) : part))
        .map((part) => (part.kind === 'relative-link' ? linkOf(project, part, from) : part))

    // Every odd part of the split is the path of a picture.
    const copyPictures = (project: ProjectReflection, text: string, from: string): CommentDisplayPart[] =>
      text.split(PICTURE).map((it, index) => {
        if (index % 2 === 0) return { kind: 'text', text: it }
        const picture = resolve(root, it)
        const { target } = project.files.registerAbsolute(normalizePath(picture))
        return { kind: 'relative-link', text: relative(dirname(from), picture), target, targetAnchor: undefined }
      })

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
