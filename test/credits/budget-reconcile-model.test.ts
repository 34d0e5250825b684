import fc from 'fast-check'
import { expect } from 'vitest'
import { createBudget, type MemoryReservation } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/index.ts'
import { testProperty } from '../support/property.ts'

type What =
  | 'reserve'
  | 'send'
  | 'execute'
  | 'answer'
  | 'refuse'
  | 'give up'
  | 'execute late'
  | 'top up'
  | 'wait'
  | 'lose'
  | 'ask'
type Step = readonly [what: What, pick: number, credits: number]

interface Request {
  readonly reservation: MemoryReservation
  readonly cost: number
  state: 'reserved' | 'in flight' | 'executed' | 'given up' | 'ended'
  sentIn: number
  isSentAlone: boolean
  /** The proofs there were when it was given up. */
  givenUpAfter: number
  /** The balance in its answer, and the top-ups and late charges that it includes. */
  remaining: number
  includes: { topUps: number; lateCharges: number }
}

const WINDOW_MS = 1000
const LIMIT = 2000
/** More than all requests of a run together can cost: the budget cannot see a smaller one. */
const TOP_UP = 1_000_000

/** A service with a ledger, and two clients whose requests share one budget. */
function simulate(windowMs: number | undefined) {
  let elapsed = 0
  let balance = TOP_UP
  const budget = createBudget(
    { credits: LIMIT, windowMs, exclusiveKey: true },
    { now: () => 0, monotonic: () => elapsed },
  )
  const requests: Request[] = []
  const charges: { credits: number; sentIn: number }[] = []
  const proofs: { charged: number; freed: number }[] = []
  let answersAlone = 0
  /** Between two proofs there is either a top-up or a late charge of freed credits: the balance cannot show both. */
  const happened = { topUps: 0, lateCharges: 0 }
  let proven = { ...happened }
  const windowNow = () => (windowMs === undefined ? 0 : Math.floor(elapsed / windowMs))
  const inState = (state: Request['state']) => requests.filter((request) => request.state === state)
  const ledger = (window?: number) =>
    charges.reduce((sum, { credits, sentIn }) => sum + (window === undefined || sentIn === window ? credits : 0), 0)

  const reserve = (worstCase: number, cost: number) => {
    const reservation = budget.reserve(worstCase)
    requests.push({
      reservation,
      cost,
      state: 'reserved',
      sentIn: -1,
      isSentAlone: false,
      givenUpAfter: 0,
      remaining: 0,
      includes: { ...happened },
    })
  }
  const isIdle = () => inState('in flight').length + inState('executed').length === 0
  let newest: Request | undefined
  const send = (request: Request) => {
    request.state = 'ended'
    request.reservation.confirm()
    request.isSentAlone = isIdle()
    newest = request
    Object.assign(request, { state: 'in flight', sentIn: windowNow() })
  }
  const execute = (request: Request, state: Request['state']) => {
    balance -= request.cost
    charges.push({ credits: request.cost, sentIn: request.sentIn })
    Object.assign(request, { state, remaining: balance, includes: { ...happened } })
  }
  const answer = (request: Request) => {
    request.state = 'ended'
    if (request.isSentAlone && request === newest) {
      answersAlone++
      proven = request.includes
    }
    const proof = request.reservation.settle(request.cost, { remaining: request.remaining })
    if (proof) proofs.push(proof)
  }
  const giveUp = (request: Request) => {
    request.state = request.state === 'executed' ? 'ended' : 'given up'
    request.givenUpAfter = answersAlone
    request.reservation.markUncertain()
  }

  /** One request whose answer is lost, charged or not. */
  const lose = (credits: number, isCharged: boolean) => {
    reserve(credits, credits)
    withOne(requests.at(-1), (request) => {
      send(request)
      if (isCharged) execute(request, 'executed')
      giveUp(request)
    })
  }
  const askForBalance = () => {
    reserve(0, 0)
    withOne(requests.at(-1), (free) => {
      send(free)
      execute(free, 'executed')
      answer(free)
    })
  }

  const topUp = () => {
    if (happened.lateCharges > proven.lateCharges) return
    happened.topUps++
    balance += TOP_UP
  }
  const executeLate = (request: Request) => {
    if (request.givenUpAfter < answersAlone || !isIdle()) {
      if (happened.topUps > proven.topUps) return
      happened.lateCharges++
    }
    execute(request, 'ended')
  }

  const take = (what: What, pick: number, credits: number): void => {
    const choose = (...states: Request['state'][]) => {
      const found = states.flatMap(inState)
      return found[pick % found.length]
    }
    if (what === 'reserve') reserve(credits, pick % 4 === 0 ? 0 : Math.floor(credits / ((pick % 3) + 1)))
    else if (what === 'top up') topUp()
    else if (what === 'wait') elapsed += pick * 40
    else if (what === 'ask') askForBalance()
    else if (what === 'lose') lose(credits, pick % 2 === 0)
    else if (what === 'send') withOne(choose('reserved'), send)
    else if (what === 'execute') withOne(choose('in flight'), (request) => execute(request, 'executed'))
    else if (what === 'answer') withOne(choose('executed'), answer)
    else if (what === 'give up') withOne(choose('in flight', 'executed'), giveUp)
    else if (what === 'execute late') withOne(choose('given up'), executeLate)
    else {
      withOne(choose('reserved', 'in flight'), (request) => {
        request.state = 'ended'
        request.reservation.release()
      })
    }
  }
  const endAll = () => {
    for (const request of requests) {
      if (request.state === 'reserved') take('refuse', 0, 0)
      else if (request.state === 'in flight') giveUp(request)
      else if (request.state === 'executed') answer(request)
    }
  }
  return { budget, take, endAll, askForBalance, ledger, windowNow, proofs }
}

function withOne(request: Request | undefined, act: (request: Request) => void): void {
  if (request === undefined) return
  try {
    act(request)
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error
  }
}

const stepsOf = (...names: What[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(20), fc.integer({ min: 1, max: 300 })), {
    maxLength: 80,
    size: 'max',
  })
const USUAL: What[] = [
  'reserve',
  'reserve',
  'send',
  'send',
  'execute',
  'execute',
  'answer',
  'answer',
  'refuse',
  'give up',
  'lose',
  'lose',
  'ask',
  'ask',
]

function play(steps: readonly Step[], take: (...step: Step) => void, after: () => void): void {
  for (const step of steps) {
    try {
      take(...step)
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
    }
    after()
  }
}

let freed = 0
let charged = 0

testProperty(
  'with lost answers and top-ups, a window never counts less than the service charged for it, at any moment',
  fc.property(stepsOf(...USUAL, 'top up', 'wait'), fc.boolean(), (steps, hasWindows) => {
    const { budget, take, ledger, windowNow, proofs } = simulate(hasWindows ? WINDOW_MS : undefined)
    // A request that is given up before it is executed stays so here.
    play(steps, take, () => {
      const { spent, reserved, uncertain } = budget
      expect(spent + reserved + uncertain).toBeGreaterThanOrEqual(ledger(windowNow()))
      expect(spent + reserved + uncertain).toBeLessThanOrEqual(LIMIT)
      expect(Math.min(spent, reserved, uncertain)).toBeGreaterThanOrEqual(0)
    })
    for (const proof of proofs) {
      freed += proof.freed
      charged += proof.charged
    }
  }),
  {
    cases: 250,
    afterAll: () => expect(Math.min(freed, charged)).toBeGreaterThan(500),
  },
)

testProperty(
  'with requests executed late, the next proof counts them: in the end nothing charged is missing',
  fc.property(stepsOf(...USUAL, 'execute late', 'execute late', 'top up'), (steps) => {
    const { budget, take, endAll, askForBalance, ledger } = simulate(undefined)
    play(steps, take, () => {})
    endAll()
    play([['execute late', 0, 0]], take, () => {})
    askForBalance()
    expect(budget.reserved).toBe(0)
    expect(budget.spent + budget.uncertain).toBeGreaterThanOrEqual(ledger())
  }),
  { cases: 1000 },
)

testProperty(
  'without top-ups, what was spent since the first balance is exactly what the service charged',
  fc.property(stepsOf(...USUAL, 'execute late'), (steps) => {
    const { budget, take, endAll, askForBalance, ledger } = simulate(undefined)
    askForBalance()
    play(steps, take, () => {})
    endAll()
    askForBalance()
    expect([budget.spent, budget.uncertain]).toEqual([ledger(), 0])
  }),
  { cases: 1000 },
)
