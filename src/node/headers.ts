/** The value of a header among names and values in turn; several lines are joined as fetch joins them. `name` is in lower case. */
export function lookUp(lines: readonly string[], name: string): string | null {
  let found: string | null = null
  for (let index = 0; index < lines.length; index += 2) {
    const here = lines[index]
    if (here === undefined || here.length !== name.length || here.toLowerCase() !== name) continue
    const value = lines[index + 1] ?? ''
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}
