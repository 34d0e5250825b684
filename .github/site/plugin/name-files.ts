import { basename } from 'node:path/posix'
import type { Application } from 'typedoc'

/** Writes the name of a file above its code, where the fence of a guide states one: `file=examples/page/market.ts`. */
export function nameFiles(app: Application): void {
  const languages = new Set<string>()
  app.options.setValue('markdownItLoader', (parser) => {
    const { rules } = parser.renderer
    const render = rules.fence
    rules.fence = (tokens, index, options, env, self) => {
      const { info, content } = tokens[index]
      const [language = ''] = info.split(' ')
      // Shiki leaves code without colours after half a second. On a busy machine the first one of a language takes longer.
      if (!languages.has(language)) options.highlight?.(content, language, '')
      languages.add(language)
      const html = render(tokens, index, options, env, self)
      const [, path] = /\bfile=(\S+)/.exec(info) ?? []
      if (path === undefined) return html
      return `<figure class="file"><figcaption><code>${basename(path)}</code></figcaption>${html}</figure>`
    }
  })
}
