import type { FakeService } from 'etn-market/fake'
import { useEffect, useRef, useState } from 'react'
import { formatCredits } from '../credits/cost.ts'

const REFRESH_MS = 1_000
/** Operations that only the feed of the proxy buys. */
const FEED_OPERATIONS = ['prices.batch', 'token.price'] as const

/** The ledger of the fake service, beside the meter that has to agree with it, and a way to make the service busy. */
export function DemoPanel({ fake }: { fake: FakeService }) {
  const [ledger, setLedger] = useState(() => readLedger(fake))
  useEffect(() => {
    const timer = setInterval(() => setLedger(readLedger(fake)), REFRESH_MS)
    return () => clearInterval(timer)
  }, [fake])
  return (
    <section className="panel demo" aria-labelledby="demo-title">
      <h2 id="demo-title">Behind the demo</h2>
      <p className="hint">
        The service and the proxy run in this page, and nothing is spent. The ledger of the service:
      </p>
      <dl>
        <div>
          <dt>Your clicks</dt>
          <dd>{formatCredits(ledger.visitor)}</dd>
        </div>
        <div>
          <dt>Live prices</dt>
          <dd>{formatCredits(ledger.feed)}</dd>
        </div>
      </dl>
      <BusySwitch fake={fake} />
    </section>
  )
}

/** Takes both heavy slots of the service, as other tenants do. */
function BusySwitch({ fake }: { fake: FakeService }) {
  const slots = useRef<(() => void)[]>([])
  const [isBusy, setBusy] = useState(false)
  function toggle() {
    if (isBusy) for (const free of slots.current.splice(0)) free()
    else slots.current = takeSlots(fake)
    setBusy(!isBusy)
  }
  return (
    <button type="button" className="button small" aria-pressed={isBusy} onClick={toggle}>
      <span className="button-label">Keep the service busy</span> <span className="cost">tries Locks</span>
    </button>
  )
}

function takeSlots(fake: FakeService): (() => void)[] {
  try {
    return [fake.holdHeavySlot(), fake.holdHeavySlot()]
  } catch {
    // A request has a slot at the moment, so there was one to take at most.
    return []
  }
}

function readLedger(fake: FakeService): { visitor: number; feed: number } {
  const feed = FEED_OPERATIONS.reduce((sum, operation) => sum + fake.charged({ operation }), 0)
  return { feed, visitor: fake.charged() - feed }
}
