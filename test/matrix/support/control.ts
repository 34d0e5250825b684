import type { Charge, JournalEntry } from 'etn-market/fake'

/** The fake service, controlled by its HTTP routes below `/_fake`. */
export interface ServiceControl {
  /** Resets the service and sets these faults. */
  reset(faults?: readonly object[]): Promise<void>
  ledger(): Promise<Charge[]>
  journal(): Promise<JournalEntry[]>
}

export function controlService(baseUrl: string): ServiceControl {
  const request = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${new URL(baseUrl).origin}/_fake/${path}`, init)
    if (!response.ok) throw new Error(`The fake service rejected ${path}: ${await response.text()}`)
    return response.json()
  }
  return {
    async reset(faults = []) {
      await request('POST', 'reset')
      for (const fault of faults) await request('POST', 'faults', fault)
    },
    ledger: () => request('GET', 'ledger') as Promise<Charge[]>,
    journal: () => request('GET', 'journal') as Promise<JournalEntry[]>,
  }
}
