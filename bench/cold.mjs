// A whole process from nothing to the first answer.
const [contender, port] = process.argv.slice(2)
const baseUrl = `http://127.0.0.1:${port}/v1`
const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

if (contender === 'etn-market') {
  const { createClient } = await import('etn-market')
  await createClient({ apiKey: 'esk_test', baseUrl }).token.price({ address })
} else {
  const response = await fetch(`${baseUrl}/prices/52014/${address}`, { headers: { authorization: 'Bearer esk_test' } })
  await response.json()
}
