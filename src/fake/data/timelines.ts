import { createTimeline, type Segment, type Timeline, type TimelineState } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

/** The timelines of all tokens. Only changed ones are kept. */
export interface Timelines {
  /** The timeline of the price of ETN. */
  etn(): Timeline
  of(token: WorldToken): Timeline
  /** The changes so far; plain data. */
  save(): TimelinesState
  /** Replaces all changes; without an argument it drops them. */
  load(state?: TimelinesState): void
}

export interface TimelinesState {
  etn: TimelineState
  tokens: Readonly<Record<string, TimelineState>>
}

const START = Number.NEGATIVE_INFINITY
const COMPUTED: TimelineState = { segments: [{ kind: 'computed', from: START }], trades: [] }

export function createTimelines(wetn: () => WorldToken): Timelines {
  let made: Timeline | undefined
  const tokens = new Map<string, Timeline>()
  /** Timelines without a change, as they are made: to tell those that have one. */
  const unchanged = new Map<string, TimelineState>()
  const etn = () => {
    made ??= createTimeline(etnState(wetn()))
    return made
  }
  function of(token: WorldToken): Timeline {
    const known = tokens.get(token.key)
    if (known) return known
    const initial = token.key === wetn().key ? COMPUTED : initialState(token)
    const made = createTimeline(initial)
    unchanged.set(token.key, initial)
    tokens.set(token.key, made)
    return made
  }

  const stateOf = ({ segments, trades }: Timeline) => ({ segments, trades })
  const isChanged = ([key, { segments, trades }]: [string, Timeline]) =>
    segments !== unchanged.get(key)?.segments || trades.length > 0
  return {
    etn,
    of,
    save: () => ({
      etn: stateOf(etn()),
      tokens: Object.fromEntries([...tokens].filter(isChanged).map(([key, timeline]) => [key, stateOf(timeline)])),
    }),
    load(state) {
      made = state && createTimeline(state.etn)
      tokens.clear()
      unchanged.clear()
      for (const [key, timeline] of Object.entries(state?.tokens ?? {})) tokens.set(key, createTimeline(timeline))
    },
  }
}

function etnState({ fixedUsd }: WorldToken): TimelineState {
  return fixedUsd === undefined ? COMPUTED : { segments: [{ kind: 'fixed', usd: fixedUsd, from: START }], trades: [] }
}

/** The prices of a token without changes. */
export function initialState({ anchor, fixedUsd, launchedAt }: WorldToken): TimelineState {
  const usual: Segment = usualSegment({ anchor, fixedUsd }, launchedAt ?? START)
  if (launchedAt === undefined) return { segments: [usual], trades: [] }
  return { segments: [{ kind: 'none', from: START }, usual], trades: [] }
}

/** Where the price of a token comes from unless it is changed. */
export function usualSegment(
  { anchor, fixedUsd }: Pick<WorldToken, 'anchor'> & { fixedUsd?: bigint | undefined },
  from: number,
): Segment {
  if (fixedUsd !== undefined) return { kind: 'fixed', usd: fixedUsd, from }
  return anchor === null ? { kind: 'none', from } : { kind: 'computed', from }
}
