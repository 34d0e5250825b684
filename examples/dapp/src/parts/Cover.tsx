import { useState } from 'react'
import { initialsOf } from './names.tsx'
import { safeImageUrl } from './safe-image.ts'
import { tintOf } from './tint.ts'

interface CoverProps {
  image: string | null
  /** Its colours and initials are shown where there is no picture. */
  address: string
  symbol: string
  name: string
}

/** The picture of a collection. It is loaded when it comes into sight, and its host does not learn which page shows it. */
export function Cover({ image, address, symbol, name }: CoverProps) {
  const url = safeImageUrl(image)
  const [failed, setFailed] = useState<string>()
  if (url === undefined || url === failed)
    return (
      <div className="cover" style={tintOf(address)} aria-hidden="true">
        {initialsOf(symbol, 2)}
      </div>
    )
  return (
    <img
      className="cover"
      src={url}
      alt={`Cover of ${name}`}
      width={320}
      height={180}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed(url)}
    />
  )
}
