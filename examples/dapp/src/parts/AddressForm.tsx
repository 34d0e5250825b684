import { checksumAddress, isAddress } from 'etn-market'
import { type FormEvent, useId, useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import type { AnyQuery } from '../credits/cost.ts'
import { useMarket } from '../market.ts'
import { hrefOf, type View } from '../router.ts'

/** What data costs does not depend on the address. */
const ANY_ADDRESS = '0x0000000000000000000000000000000000000000'

interface AddressFormProps {
  /** The view that shows an address. The page's own address gets it, so that what is shown can be shared. */
  view: View
  /** The address of the page's own address; undefined without one. It may be wrong. */
  current: string | undefined
  label: string
  /** Text of the button. */
  action: string
  /** Addresses that fill the field, by their names. It begins with the first one, if there is no other. */
  examples: Readonly<Record<string, string>>
  /** The queries that an address buys. */
  buys: (address: string) => readonly AnyQuery[]
}

/** A field for an address, and a button with what its data costs. */
export function AddressForm({ view, current, label, action, examples, buys }: AddressFormProps) {
  const { queryClient } = useMarket()
  const [shown, setShown] = useState(current)
  const [text, setText] = useState(current ?? Object.values(examples)[0] ?? '')
  const [isTried, setTried] = useState(current !== undefined)
  const id = useId()
  // Another address came with the page's own: a link, or a step back.
  if (shown !== current) {
    setShown(current)
    setTried(current !== undefined)
    if (current !== undefined) setText(current)
  }
  const address = text.trim()
  const isValid = isAddress(address)
  const hasError = isTried && !isValid

  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (!isValid) return
    const href = hrefOf(view, checksumAddress(address))
    if (location.hash !== href) location.hash = href
    // It is shown already: what is old or has failed is bought again.
    else
      for (const { queryKey } of buys(address)) void queryClient.refetchQueries({ queryKey, exact: true, stale: true })
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
