/** The name under which a store keeps what its sweeps were charged. */
export const SWEEP_LEDGER_KEY = 'etn-market:sweep:1:ledger'
