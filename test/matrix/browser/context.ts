import type { JournalEntry } from 'etn-market/fake'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base URL of a fake service on another origin, which hides the credit headers from pages. */
    hiddenUrl: string
  }
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** Takes the page offline for `ms`, starting soon. The page cannot end that itself: it has no network for the command. */
    offlineFor(ms: number): Promise<void>
    /** The journal of the fake service. CORS does not let a page read it. */
    journal(): Promise<JournalEntry[]>
  }
}
