/** The text without the characters at its end that are `character`. A regular expression takes quadratic time for this. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
