import createClient from 'openapi-fetch'

export function connect({ baseUrl, headers }) {
  const http = createClient({ baseUrl, headers, querySerializer: { array: { style: 'form', explode: false } } })
  const get = async (path, params) => (await http.GET(path, { params })).data.data
  return {
    light: (address) => get('/prices/52014/{address}', { path: { address } }),
    candles: (address) => get('/tokens/52014/{address}/candles', { path: { address }, query: { limit: 500 } }),
    batch: (addresses) => get('/prices/52014', { query: { addresses } }),
  }
}
