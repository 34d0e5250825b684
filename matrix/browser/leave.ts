import { createClient } from 'etn-market'

// A page that is left while it waits; its frame's name tells it whom to ask.
const { baseUrl, key } = JSON.parse(window.name) as { baseUrl: string; key: string }
const client = createClient({ apiKey: key, baseUrl, onEvent() {} })
addEventListener('pagehide', () => client.close())
client.etn.price().catch((error: { code: string }) => parent.postMessage(error.code, '*'))
