import { type ReactNode, useEffect } from 'react'

/** The title of a view, and what it is about. */
export function ViewHeader({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ETN market`
  }, [title])
  return (
    <header className="view-header">
      <h1>{title}</h1>
      {children && <p>{children}</p>}
    </header>
  )
}
