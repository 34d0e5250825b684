import { checksumAddress, isAddress } from 'etn-market'
import { type FormEvent, useId, useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import type { AnyQuery } from '../credits/cost.ts'

/** What data costs does not depend on the address. */
const ANY_ADDRESS = '0x0000000000000000000000000000000000000000'

interface AddressFormProps {
  label: string
  /** Text of the button. */
  action: string
  /** Addresses that fill the field, by their names. It begins with the first one. */
  examples: Readonly<Record<string, string>>
  /** The queries that an address buys. */
  buys: (address: string) => readonly AnyQuery[]
  onSubmit: (address: string) => void
}

/** A field for an address, and a button with what its data costs. */
export function AddressForm({ label, action, examples, buys, onSubmit }: AddressFormProps) {
  const [text, setText] = useState(Object.values(examples)[0] ?? '')
  const [isTried, setTried] = useState(false)
  const id = useId()
  const address = text.trim()
  const isValid = isAddress(address)
  const hasError = isTried && !isValid

  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (isValid) onSubmit(checksumAddress(address))
  }

  return (
    <form className="card address-form" onSubmit={submit} noValidate>
      <label htmlFor={id}>{label}</label>
      <div className="field-row">
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
          autoComplete="off"
          placeholder="0x…"
          aria-invalid={hasError}
          aria-describedby={hasError ? `${id}-error` : undefined}
        />
        <CostButton type="submit" className="primary" buys={buys(isValid ? address : ANY_ADDRESS)}>
          {action}
        </CostButton>
      </div>
      {hasError && (
        <p className="field-error" id={`${id}-error`} role="alert">
          An address has 0x and 40 hex digits. In mixed case, its checksum has to be right.
        </p>
      )}
      {Object.keys(examples).length > 0 && (
        <p className="examples">
          <span>Try</span>
          {Object.entries(examples).map(([name, example]) => (
            <button type="button" className="link" key={name} onClick={() => setText(example)}>
              {name}
            </button>
          ))}
        </p>
      )}
    </form>
  )
}
