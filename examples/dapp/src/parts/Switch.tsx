import { CostButton } from '../credits/Cost.tsx'
import { type AnyQuery, costOf, formatCredits } from '../credits/cost.ts'
import { useCosts } from '../credits/use-cost.ts'

interface SwitchProps<Value> {
  label: string
  values: readonly Value[]
  value: Value
  onChange: (value: Value) => void
  /** The queries that a value buys. */
  buys: (value: Value) => readonly AnyQuery[]
  /** @default the value itself */
  nameOf?: (value: Value) => string
}

/**
 * Values of which one is chosen. They are buttons: the arrow keys of radio buttons would buy what they pass. The cost of a value shows while
 * its button is pointed at or has the focus; the highest cost stands beside the switch.
 */
export function Switch<Value extends string | number>(props: SwitchProps<Value>) {
  const { label, values, value, onChange, buys, nameOf = String } = props
  return (
    <fieldset className="switch">
      <legend>{label}</legend>
      <div className="segments">
        {values.map((each) => (
          <CostButton key={each} buys={buys(each)} aria-pressed={each === value} onClick={() => onChange(each)}>
            {nameOf(each)}
          </CostButton>
        ))}
      </div>
      <HighestCost of={values.map(buys)} />
    </fieldset>
  )
}

function HighestCost({ of: clicks }: { of: readonly (readonly AnyQuery[])[] }) {
  const highest = Math.max(...useCosts(clicks).map(({ max }) => max))
  const room = Math.max(...clicks.map((queries) => costOf(queries).max))
  return (
    <span className="switch-cost" data-room={upTo(room)}>
      {highest === 0 ? 'free' : upTo(highest)}
    </span>
  )
}

const upTo = (credits: number) => `up to ${formatCredits(credits)}`
