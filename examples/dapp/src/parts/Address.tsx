import { memo } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { shorten } from './format.ts'
import { OutsideIcon } from './icons.tsx'

const EXPLORER = 'https://blockexplorer.electroneum.com/address/'

/** An address, with a button that copies it and a link to the block explorer. */
export const Address = memo(function Address({ of: address, name }: { of: string; name: string }) {
  return (
    <span className="address">
      <code title={address}>{shorten(address)}</code>
      <CopyButton text={address} label={`Copy the address of ${name}`} />
      <a
        className="icon-button"
        href={EXPLORER + address}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={`${name} in the block explorer`}
        title="Block explorer"
      >
        <OutsideIcon />
      </a>
    </span>
  )
})
