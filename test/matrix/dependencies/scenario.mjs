// What the client needs of ky, p-retry and zod, whatever their versions: run in a project with the packed package.
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import * as schemas from 'etn-market/schemas'

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const fake = createFakeService()
const open = (options) => createClient({ apiKey: fake.key, fetch: fake.fetch, ...options })
const caught = (promise) =>
  promise.then(
    () => 'no error',
    (error) => error,
  )
const found = {}

/** A retry, with hooks around each attempt. */
async function retried() {
  fake.fault({ operation: 'token.price', times: 1, status: 500 })
  const seen = []
  const client = open({
    hooks: {
      beforeRequest: [
        ({ request, attempt }) => request.headers.set('x-attempt', String(attempt)),
        ({ request, operation, callId }) => void seen.push([operation, callId, request.headers.get('x-attempt')]),
      ],
      afterResponse: [
        async ({ response, attempt }) => void seen.push([response.status, attempt, typeof (await response.json())]),
      ],
    },
  })
  const { data, meta } = await client.token.price({ address: ADDRESS }).withMeta()
  const { credits, attempts } = meta
  return { seen, address: data.address, attempts, charged: credits.charged }
}

/** Hooks that replace the request, the answer of the service, or both. */
async function replaced() {
  const later = []
  const replace = ({ request }) =>
    new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-new': '1' } })
  const client = open({
    hooks: {
      beforeRequest: [replace, () => void later.push('skipped')],
      afterResponse: [
        ({ request, response }) => Response.json({ data: { usd: 9, etn: request.headers.get('x-new') } }, response),
      ],
    },
  })
  const answer = Response.json({ data: { usd: 7 } }, { headers: { 'x-credits-cost': '3' } })
  const answering = open({ hooks: { beforeRequest: [() => answer] } })
  const before = fake.journal().length
  const own = await answering.etn.price().withMeta()
  const unsent = fake.journal().length - before
  const elsewhere = open({ hooks: { beforeRequest: [() => new Request('https://elsewhere.test/')] } })
  const refused = await caught(elsewhere.etn.price())
  const retrying = open({ hooks: { afterResponse: [() => ({ retry: true })] } })
  const failed = await caught(retrying.etn.price())
  return {
    data: await client.etn.price(),
    later,
    own: [own.data.usd, own.meta.credits.charged, unsent],
    refused: [refused.code, refused.charge],
    failed: [failed.code, failed.credits, failed.attempts],
  }
}

/** An abort in flight reaches the request, and its reason the caller. */
async function aborted() {
  const signals = []
  const fetch = (request) => {
    signals.push(request.signal)
    return fake.fetch(request)
  }
  fake.fault({ operation: 'etn.price', times: 1, never: true })
  const client = open({ fetch })
  const caller = new AbortController()
  const call = caught(client.etn.price({}, { signal: caller.signal }))
  while (signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  caller.abort('enough')
  return [await call, signals[0].aborted]
}

/** A connection that breaks is an error of the client's own, with what `fetch` threw as its cause. */
async function broken() {
  const cause = new TypeError('fetch failed')
  const client = open({ fetch: () => Promise.reject(cause), retry: { limit: 1 } })
  const error = await caught(client.etn.price({}, { deadlineMs: 20_000 }))
  return [error.name, error.attempts, error.charge, error.cause === cause]
}

/** zod explains an answer of another shape, and checks parameters and answers for applications. */
async function explained() {
  fake.fault({
    operation: 'token.price',
    times: 1,
    transform: ({ data, ...rest }) => ({ ...rest, data: { ...data, usd: 5, etn: {} } }),
  })
  const client = open({ validate: 'strict' })
  const error = await caught(client.token.price({ address: ADDRESS }))
  return {
    error: [error.name, error.issues.map(({ path }) => path)],
    schema: [
      schemas.tokenPrice.data.safeParse({ usd: 5 }).success,
      schemas.tokenPrice.data.safeParse(await open().token.price({ address: ADDRESS })).success,
    ],
  }
}

for (const run of [retried, replaced, aborted, broken, explained]) found[run.name] = await run()
await fake.close()
process.stdout.write(JSON.stringify(found))
