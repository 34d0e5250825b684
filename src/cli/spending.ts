import { Interrupted, refusal, usageError } from './failure.ts'
import type { HostProcess } from './host.ts'
import { formatCount, formatCredits } from './output.ts'
import type { CommonOptions, Session } from './session.ts'

/** Above this, in credits, a command asks before it spends. */
const CONFIRMATION_LIMIT = 10_000

/** What a command is about to spend, in credits. */
export interface Spending {
  /** What is bought, as the subject of a sentence. */
  readonly what: string
  readonly min: number
  readonly max: number
  /** Added to the announcement. */
  readonly note?: string
  /** The cost of the smallest part worth having: it begins if the limit covers that. @default max */
  readonly smallest?: number
  /** What limits it. @default --max-credits */
  readonly limit?: SpendingLimit
}

/** What may be spent, and why not more. */
export interface SpendingLimit {
  readonly credits: number
  /** What allows so many, as the subject of a sentence; such as `--max-credits 7,000`. */
  readonly name: string
  /** What used up the rest of it, such as ` beside the 2,000 of the journal`. */
  readonly beside?: string
}

/**
 * Announces what a command may cost, and asks above 10,000 credits.
 * @throws CommandError if it does not fit `--max-credits`, or if it is not confirmed
 */
export async function authorizeSpending(
  session: Session,
  options: CommonOptions,
  { what, min, max, note, smallest = max, limit = limitOf(options) }: Spending,
): Promise<void> {
  const cost = max === 0 ? 'free' : formatCredits(min, max)
  session.note(`${what}: ${cost}${note === undefined ? '' : `, ${note}`}.`)
  if (smallest > limit.credits) {
    const message = `${what}: it may cost ${formatCount(smallest)} credits, more than ${limit.name} allows${limit.beside ?? ''}. Nothing was sent.`
    throw refusal(message, 'budget_exceeded')
  }
  const most = Math.min(max, limit.credits)
  if (most <= CONFIRMATION_LIMIT || options.yes) return
  if (!(session.host.stdin.isTTY && session.host.stderr.isTTY)) {
    const message = `${what}: up to ${formatCount(most)} credits need a confirmation, and there is no terminal to ask on: add --yes.`
    throw usageError(message)
  }
  if (!(await askToConfirm(session.host, `Spend up to ${formatCredits(most)}?`, session.signal)))
    throw refusal('not confirmed. Nothing was sent.', 'not_confirmed')
}

function limitOf({ maxCredits = Number.POSITIVE_INFINITY }: CommonOptions): SpendingLimit {
  return { credits: maxCredits, name: `--max-credits ${formatCount(maxCredits)}` }
}

/** What several purchases cost together. */
export function sumCosts(costs: readonly Pick<Spending, 'min' | 'max'>[]): Pick<Spending, 'min' | 'max'> {
  const sum = (of: 'min' | 'max') => costs.reduce((total, cost) => total + cost[of], 0)
  return { min: sum('min'), max: sum('max') }
}

/** Whether a command may spend this much in all without another question. */
export function isAuthorized({ maxCredits = Number.POSITIVE_INFINITY, yes }: CommonOptions, credits: number): boolean {
  return credits <= maxCredits && (yes === true || credits <= CONFIRMATION_LIMIT)
}

/** Asks a question whose answer is yes or no. */
async function askToConfirm({ stdin, stderr }: HostProcess, message: string, signal: AbortSignal): Promise<boolean> {
  // Loaded when it is needed: most runs ask nothing.
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message, initialValue: false, input: stdin, output: stderr, signal })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer
}
