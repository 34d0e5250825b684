import type { ReactNode } from 'react'
import { shorten } from './format.ts'

/** A letter, a digit, or another sign that can be seen. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** A name or a symbol that others have chosen. Where it is empty, the address stands for it. */
export function nameOf(text: string | null | undefined, address: string): string {
  return text && VISIBLE.test(text) ? text.trim() : shorten(address)
}

/** The first letters of a name, where there is no picture. A letter of some scripts, or an emoji, is more than one unit of a string. */
export const initialsOf = (name: string, count = 1) => Array.from(name).slice(0, count).join('')

/** A name that others have chosen, in text of the page: its direction of writing changes nothing around it. */
export const Name = ({ children }: { children: ReactNode }) => <bdi>{children}</bdi>

/** The same for texts without elements, such as the title of the page. */
export const isolate = (name: string) => `\u2068${name}\u2069`
