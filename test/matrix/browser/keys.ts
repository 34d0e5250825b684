/** Keys of the fake service on another origin. The faults of a key are set before the page opens. */
export const keys = { hidden: 'esk_test_hidden', offline: 'esk_test_offline', leaving: 'esk_test_leaving' } as const

export const faults = [{ key: keys.leaving, operation: 'etn.price', never: true, times: 'Infinity' }] as const
