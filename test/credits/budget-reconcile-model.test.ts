import fc from 'fast-check'
import { expect } from 'vitest'
import { createBudget, type MemoryReservation } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/budget.ts'
import { testProperty } from '../support/property.ts'

type What =
  | 'reserve'
  | 'send'
  | 'send without a key'
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
  isLost: boolean
  sentAt: number
  /** The balance in its answer. */
  remaining: number
}

const WINDOW_MS = 1000
const DELAY_MS = 400
const LIMIT = 2000
const KEY = 'a key'
/** More than all requests of a run together can cost: the budget cannot see a smaller one. */
const TOP_UP = 1_000_000

/** A service with a ledger, which executes what nobody waits for any more, and two clients whose requests share one budget. */
function simulate(windowMs: number | undefined) {
  let elapsed = 0
  let balance = TOP_UP
  const budget = createBudget(
    { credits: LIMIT, windowMs, exclusiveKey: true, maxChargeDelayMs: DELAY_MS },
    { now: () => 0, monotonic: () => elapsed },
  )
  const requests: Request[] = []
  const charges: { credits: number; sentIn: number }[] = []
  const proofs: { charged: number; freed: number }[] = []
  const windowAt = (moment: number) => (windowMs === undefined ? 0 : Math.floor(moment / windowMs))
  const inState = (state: Request['state']) => requests.filter((request) => request.state === state)
  const ledger = (window?: number) =>
    charges.reduce((sum, { credits, sentIn }) => sum + (window === undefined || sentIn === window ? credits : 0), 0)

  const reserve = (worstCase: number, cost: number): Request => {
    const reservation = budget.reserve(worstCase)
    const request: Request = { reservation, cost, state: 'reserved', isLost: false, sentAt: 0, remaining: 0 }
    requests.push(request)
    return request
  }
  const send = (request: Request, key = KEY) => {
    request.state = 'ended'
    request.reservation.confirm({}, key)
    Object.assign(request, { state: 'in flight', sentAt: elapsed })
  }
  const execute = (request: Request, state: Request['state']) => {
    balance -= request.cost
    charges.push({ credits: request.cost, sentIn: windowAt(request.sentAt) })
    Object.assign(request, { state, remaining: balance })
  }
  const answer = (request: Request) => {
    request.state = 'ended'
    const proof = request.reservation.settle(request.cost, { remaining: request.remaining })
    if (proof) proofs.push(proof)
  }
  const giveUp = (request: Request) => {
    request.state = request.state === 'executed' ? 'ended' : 'given up'
    request.isLost = true
    request.reservation.markUncertain()
  }
  /** One request whose answer is lost, charged or not. */
  const lose = (credits: number, isCharged: boolean) => {
    const request = reserve(credits, credits)
    send(request)
    if (isCharged) execute(request, 'executed')
    giveUp(request)
  }
  const askForBalance = () => {
    const free = reserve(0, 0)
    send(free)
    execute(free, 'executed')
    answer(free)
  }

  const take = (what: What, pick: number, credits: number): void => {
    const choose = (...states: Request['state'][]) => {
      const found = states.flatMap(inState)
      return found[pick % found.length]
    }
    const withOne = (request: Request | undefined, act: (request: Request) => void) => {
      if (request !== undefined) act(request)
    }
    try {
      if (what === 'reserve') reserve(credits, pick % 4 === 0 ? 0 : Math.floor(credits / ((pick % 3) + 1)))
      else if (what === 'top up') balance += TOP_UP
      else if (what === 'wait') elapsed += pick * 40
      else if (what === 'ask') askForBalance()
      else if (what === 'lose') lose(credits, pick % 2 === 0)
      else if (what === 'send') withOne(choose('reserved'), send)
      else if (what === 'send without a key') withOne(choose('reserved'), (request) => send(request, ''))
      else if (what === 'execute') withOne(choose('in flight'), (request) => execute(request, 'executed'))
      else if (what === 'answer') withOne(choose('executed'), answer)
      else if (what === 'give up') withOne(choose('in flight', 'executed'), giveUp)
      else if (what === 'execute late') {
        const inTime = inState('given up').filter(({ sentAt }) => elapsed < sentAt + DELAY_MS)
        withOne(inTime[pick % inTime.length], (request) => execute(request, 'ended'))
      } else {
        withOne(choose('reserved', 'in flight'), (request) => {
          request.state = 'ended'
          request.reservation.release()
        })
      }
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
    }
  }
  const isIdle = () => inState('in flight').length + inState('executed').length === 0
  /** What was lost so recently that it may still be charged. */
  const young = () =>
    requests
      .filter(({ isLost, sentAt }) => isLost && elapsed < sentAt + DELAY_MS)
      .reduce((sum, { reservation }) => sum + reservation.credits, 0)
  return { budget, take, askForBalance, ledger, windowNow: () => windowAt(elapsed), proofs, isIdle, young }
}

const steps = (...more: What[]) => {
  const usual: What[] = [
    'reserve',
    'send',
    'send',
    'execute',
    'answer',
    'refuse',
    'give up',
    'lose',
    'ask',
    'execute late',
  ]
  const what = fc.constantFrom(...usual, ...usual, 'wait', ...more)
  const step: fc.Arbitrary<Step> = fc.tuple(what, fc.nat(20), fc.integer({ min: 1, max: 300 }))
  return fc.array(step, { maxLength: 80, size: 'max' })
}

let freed = 0
let charged = 0

testProperty(
  'whatever is lost, charged late, topped up or sent without a key, a window never counts less than the service charged for it, at any moment',
  fc.property(steps('top up', 'send without a key', 'wait'), fc.boolean(), (plan, hasWindows) => {
    const { budget, take, ledger, windowNow, proofs } = simulate(hasWindows ? WINDOW_MS : undefined)
    const wrong = plan.flatMap((step) => {
      take(...step)
      const { spent, reserved, uncertain } = budget
      const counted = spent + reserved + uncertain
      const isRight = counted >= ledger(windowNow()) && counted <= LIMIT && Math.min(spent, reserved, uncertain) >= 0
      return isRight ? [] : [{ step, spent, reserved, uncertain, charged: ledger(windowNow()) }]
    })
    expect(wrong).toEqual([])
    for (const proof of proofs) {
      freed += proof.freed
      charged += proof.charged
    }
  }),
  { cases: 250, afterAll: () => expect(Math.min(freed, charged)).toBeGreaterThan(250) },
)

testProperty(
  'without top-ups, at each quiet moment what was spent is exactly what the service charged, and what is uncertain exactly what it may still charge',
  fc.property(steps(), (plan) => {
    const { budget, take, isIdle, young, askForBalance, ledger } = simulate(undefined)
    askForBalance()
    const seen: unknown[] = []
    const expected: unknown[] = []
    for (const step of plan) {
      take(...step)
      if (!isIdle()) continue
      askForBalance()
      const { spent, reserved, uncertain } = budget
      seen.push([spent, uncertain])
      expected.push([ledger(), Math.min(young(), LIMIT - spent - reserved)])
    }
    expect(seen).toEqual(expected)
  }),
  { cases: 250 },
)
