import { Agent, get } from 'node:http'
import { callsOver } from './calls.mjs'

export function connect({ baseUrl, headers }) {
  const agent = new Agent({ keepAlive: true })
  const read = (url) =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      request.on('error', reject)
    })
  return callsOver(async (path) => JSON.parse(await read(`${baseUrl}${path}`)).data)
}
