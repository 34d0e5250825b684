import { type ReactNode, useEffect } from 'react'

interface ViewHeaderProps {
  title: string
  /** What stands at the other side. */
  aside?: ReactNode
  children?: ReactNode
}

/** The title of a view, and what it is about. */
export function ViewHeader({ title, aside, children }: ViewHeaderProps) {
  useEffect(() => {
    document.title = `${title} · ETN market`
  }, [title])
  return (
    <header className="view-header">
      <div>
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {aside}
    </header>
  )
}
