// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text on one line, without control characters, C1 and those that turn the direction of writing included. */
export function cleanLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+|\t/g, ' ').replace(CONTROL, '')
}
