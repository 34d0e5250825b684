import { createClient } from 'etn-market'

// A page that closes during a call. Its frame's name holds the base URL and the key.
const { baseUrl, key } = JSON.parse(window.name) as { baseUrl: string; key: string }
const client = createClient({ apiKey: key, baseUrl, onEvent() {} })
addEventListener('pagehide', () => client.close())
client.etn.price().catch((error: { code: string }) => parent.postMessage(error.code, '*'))
