import { Comment, type DeclarationReflection } from 'typedoc'

/** What the comment of a public name says first. */
export function sentenceOf(reflection: DeclarationReflection): string {
  const comment = reflection.comment ?? reflection.signatures?.[0]?.comment
  return firstSentence(Comment.combineDisplayParts(comment?.summary))
}

/** The first sentence of a text in Markdown after its heading, in one line. */
export function firstSentence(text: string): string {
  const paragraph =
    text
      .replace(/^# .*$/m, '')
      .trim()
      .split(/\n\s*\n/)[0] ?? ''
  const line = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ')
  return /^.*?\.(?=\s|$)/.exec(line)?.[0] ?? line
}
