/** What the proxy under test and its visitor agree on. */
export const BASE_PATH = '/api/market'
export const VISITOR_HEADER = 'x-visitor'
export const VISITOR_CREDITS = 500
export const MAX_STREAMS = 2
export const PARTNER = 'https://partner.example'
/** With characters that JSON and URLs escape, so that an escaped key shows as well. */
export const KEY = 'esk_test_9Qm4"\\ZtB7wXcR'
