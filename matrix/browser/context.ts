import type { JournalEntry } from 'etn-market/fake'

declare module 'vitest' {
  interface ProvidedContext {
    /** A fake service of another origin, which hides the credit headers from pages. */
    hiddenUrl: string
  }
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** Takes the page off the network, soon and for so long: it can ask for nothing meanwhile, not even for its return. */
    offlineFor(ms: number): Promise<void>
    /** What the fake service of another origin saw; a page may not ask it that. */
    journal(): Promise<JournalEntry[]>
  }
}
