import { useEffect, useState } from 'react'
import { CopyIcon, DoneIcon } from './icons.tsx'

const SHOWN_MS = 2_000

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [result, setResult] = useState<'copied' | 'not copied'>()

  useEffect(() => {
    if (result === undefined) return
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setResult('copied')
    } catch {
      // The browser does not allow it, or the page is not served by https.
      setResult('not copied')
    }
  }

  return (
    <button type="button" className="icon-button" aria-label={label} title={text} onClick={() => void copy()}>
      {result === 'copied' ? <DoneIcon /> : <CopyIcon />}
      <span className="visually-hidden" role="status">
        {result}
      </span>
    </button>
  )
}
