import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** What the compiler says about the modules in a folder, imports included. */
export function compile(folder: string, compilerOptions: object = {}, include = ['*.ts', '*.mts']) {
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc')
  return spawnSync(process.execPath, [compiler, '--noEmit', '--project', folder], { encoding: 'utf8' })
}

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-')
