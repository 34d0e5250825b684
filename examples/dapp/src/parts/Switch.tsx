import { CostButton } from '../credits/Cost.tsx'
import type { AnyQuery } from '../credits/cost.ts'

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

/** Values of which one is chosen. They are buttons: the arrow keys of radio buttons would buy what they pass. */
export function Switch<Value extends string | number>(props: SwitchProps<Value>) {
  const { label, values, value, onChange, buys, nameOf = String } = props
  return (
    <fieldset className="switch">
      <legend>{label}</legend>
      {values.map((each) => (
        <CostButton key={each} buys={buys(each)} aria-pressed={each === value} onClick={() => onChange(each)}>
          {nameOf(each)}
        </CostButton>
      ))}
    </fieldset>
  )
}
