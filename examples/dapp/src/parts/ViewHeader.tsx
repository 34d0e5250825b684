import { type ReactNode, useEffect } from 'react'

interface ViewHeaderProps {
  /** The title of the page. */
  title: string
  /** The title with elements. @default the title of the page */
  heading?: ReactNode
  /** What stands at the other side. */
  aside?: ReactNode
  children?: ReactNode
}

/** The title of a view, and what it is about. */
export function ViewHeader({ title, heading, aside, children }: ViewHeaderProps) {
  useEffect(() => {
    document.title = `${title} · ETN market`
  }, [title])
  return (
    <header className="view-header">
      <div>
        <h1>{heading || title}</h1>
        {children && <p>{children}</p>}
      </div>
      {aside}
    </header>
  )
}
