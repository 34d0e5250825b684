import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import { MoonIcon, SunIcon } from './icons.tsx'

export type Theme = 'light' | 'dark'

interface ThemeState {
  readonly theme: Theme
  choose(theme: Theme): void
}

const STORAGE_KEY = 'etn-market-theme'
const DARK = '(prefers-color-scheme: dark)'

export const ThemeContext = createContext<ThemeState>({ theme: 'light', choose() {} })

export const useTheme = () => use(ThemeContext).theme

/** Sets the colours before anything is shown. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = readChosen() ?? (matchMedia(DARK).matches ? 'dark' : 'light')
}

/** The system's colour scheme, until the visitor chooses one. */
export function useThemeState(): ThemeState {
  const isSystemDark = useSyncExternalStore(subscribe, () => matchMedia(DARK).matches)
  const [chosen, setChosen] = useState(readChosen)
  const theme = chosen ?? (isSystemDark ? 'dark' : 'light')
  useEffect(() => {
    document.documentElement.dataset.theme = theme
  }, [theme])
  return {
    theme,
    choose(next) {
      localStorage.setItem(STORAGE_KEY, next)
      setChosen(next)
    },
  }
}

/** Says what it does: it names the colours that it leads to. */
export function ThemeSwitch() {
  const { theme, choose } = use(ThemeContext)
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button type="button" className="theme-switch" onClick={() => choose(other)}>
      {other === 'dark' ? <MoonIcon /> : <SunIcon />}
      <span className="theme-name">Use {other} colours</span>
    </button>
  )
}

function readChosen(): Theme | undefined {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(DARK)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
