import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A block of code in Markdown, with the number of its first line. */
export interface CodeBlock {
  line: number
  code: string
}

/** The blocks of a language, in order. */
export function codeBlocks(markdown: string, language: string): CodeBlock[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return [...blocks].map(({ index, 1: code = '' }) => ({
    line: markdown.slice(0, index).split('\n').length + 1,
    code,
  }))
}

/** What the compiler says about files, imports included. */
export function compile(files: readonly string[]): string[] {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT)
  const program = ts.createProgram([...files], { ...options, paths: options.paths ?? {} })
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText, start }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0
    return `${file?.fileName.split('/').at(-1)} +${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-')
