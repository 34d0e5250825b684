import { type Reflection, StructureRouter } from 'typedoc'

/** `guides/<title>.html` and `reference/<entry>/<name>.html`: addresses that say what is there. */
export class SiteRouter extends StructureRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    if (reflection.isDocument()) return `guides/${slugOf(reflection.name)}`
    return `reference/${super.getIdealBaseName(reflection)}`
  }
}

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
