import { setTimeout as sleep } from 'node:timers/promises'
import { createBudget, createClient, PartialBatchError } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { addExample } from '../common-options.ts'
import { formatChange, formatCount, formatCredits, formatDecimal, formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { fitTable } from '../table.ts'

/** On a terminal somebody reads along. */
const READING_MS = 900
const PIPE_MS = 20

/** Adds `etn-market demo`: a watch, an alert, a batch of which half fails, and the ledger, against the fake service in this process. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('demo')
    .description('What this is, in ten seconds. Needs no key and no network, and costs nothing.')
    .option('--json', 'print errors as JSON')
  command.action(
    inSession<CommonOptions, []>(host, (session) => playDemo(session, host.stdout.isTTY ? READING_MS : PIPE_MS)),
  )
  addExample(command, 'demo')
}

const { BOLT } = fakeTokens
/** What BOLT costs, in USD, each time that the watch looks. */
const PRICES = ['0.0412', '0.0419', '0.0421', '0.0408', '0.0396'] as const
const LIMIT_USD = '0.04'
const DIGITS = 3
const BATCH = 100
const BUDGET = 5_000
/** The same data on every day. */
const START = Date.UTC(2026, 0, 1, 12)

async function playDemo(session: Session, paceMs: number): Promise<void> {
  const { colors, signal, print } = session
  const begun = performance.now()
  const clock = { now: () => START + Math.round(performance.now() - begun) }
  const fake = createFakeService({ seed: 'demo', clock })
  const budget = createBudget({ credits: BUDGET })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, baseUrl: 'https://demo.invalid/v1', budget })
  const title = async (text: string) => {
    print(`\n${colors.bold(text)}`)
    await sleep(paceMs, undefined, { signal })
  }
  try {
    print('A service in this process answers: no key, no network, no real credits.')

    await title('1. What a call costs, before it is sent')
    const batch = Array.from({ length: BATCH }, (_, index) => `0x${String(index + 1).padStart(40, '0')}`)
    const cost = client.prices.batch.estimate({ addresses: batch })
    print(`   client.token.price         ${formatCredits(client.token.price.estimate({ address: BOLT }).max)}`)
    print(`   client.prices.batch(${BATCH})   ${formatCredits(cost.max)}, ${formatItems(cost.requests, 'request')}`)
    print(`   This demo may spend ${formatItems(BUDGET, 'credit')}: what does not fit is not sent.`)

    await title(`2. A watch, and an alert below ${LIMIT_USD} USD: one purchase serves both`)
    const feed = createPriceFeed(client)
    await watchPrices(session, fake, feed, paceMs).finally(() => feed.close())

    await title(`3. A batch of ${formatItems(BATCH, 'price')}: the answer to one of its two requests is lost`)
    fake.fault({ operation: 'prices.batch', nth: 2, reset: 'after' })
    const sent = client.prices.batch({ addresses: batch }, { retry: false, signal })
    const error = await sent.catch((reason: unknown) => reason)
    if (!(error instanceof PartialBatchError)) throw error
    print(colors.red(`   ${error.name}`))
    print(`   ${formatItems(Object.keys(error.prices).length, 'price')} arrived, ${error.missing.length} are missing.`)
    const lost = formatCount(budget.uncertain)
    print(`   ${formatItems(error.credits, 'credit')} were charged, perhaps ${lost} more: they count, too.`)
    await sleep(paceMs, undefined, { signal })
    await client.prices.batch({ addresses: error.missing }, { signal })
    print(colors.green(`   Asked again for the missing ${error.missing.length} alone: nothing known is bought twice.`))

    await title('4. The ledger of the service, and what the client counted')
    for (const line of formatLedger(fake, colors.bold)) print(`   ${line}`)
    print(`   The service charged  ${formatItems(fake.charged(), 'credit')}.`)
    print(`   The client counted   ${formatCount(budget.spent + budget.uncertain)}: never less than was charged.`)
    await sleep(paceMs, undefined, { signal })
    print('\nNext: npx etn-market --help. cost, plan and fake need no key either.')
  } finally {
    await client.close()
    await fake.close()
  }
}

/** Each price is set before the watch buys it, so that the demo is the same at any speed. */
async function watchPrices(session: Session, fake: FakeService, feed: PriceFeed, everyMs: number): Promise<void> {
  const { colors, signal, print } = session
  let first: number | undefined
  const alerts = feed.alert(BOLT, { below: LIMIT_USD, everyMs, signal })[Symbol.asyncIterator]()
  fake.world.setPrice(BOLT, PRICES[0])
  const alert = alerts.next()
  // It rejects when the demo is interrupted.
  alert.catch(() => {})
  const prices = feed.watch(BOLT, { everyMs, signal })[Symbol.asyncIterator]()
  for (const usd of PRICES) {
    fake.world.setPrice(BOLT, usd)
    let { value: price } = await prices.next()
    // On a busy machine a price is late, and the watch reports the one before once more, as stale.
    while (Number(price.usd) !== Number(usd)) price = (await prices.next()).value
    first ??= Number(price.usd)
    const change = (100 * (Number(price.usd) - first)) / first
    const color = change < 0 ? colors.red : colors.green
    print(`   BOLT  ${formatDecimal(price.usd, DIGITS)} USD  ${color(formatChange(change).padStart(8))}`)
  }
  await prices.return?.()
  const { value } = await alert
  const usd = formatDecimal(value?.price.usd, DIGITS)
  if (value) print(colors.yellow(`   Alert: BOLT is ${value.condition} ${LIMIT_USD} USD: ${usd}`))
  await alerts.return?.()
}

function formatLedger(fake: FakeService, styleTitle: (text: string) => string): readonly string[] {
  const charges = fake.ledger()
  const operations = [...new Set(charges.map(({ operation }) => operation))]
  const rows = operations.map((operation) => {
    const own = charges.filter((charge) => charge.operation === operation)
    const lost = own.filter(({ delivered }) => !delivered).length
    const credits = own.reduce((sum, charge) => sum + charge.credits, 0)
    return [operation, String(own.length), formatCount(credits), lost === 0 ? '' : `${lost} answer lost`]
  })
  const columns = [
    { title: 'operation' },
    { title: 'charges', align: 'right' },
    { title: 'credits', align: 'right' },
    { title: '' },
  ] as const
  return fitTable(columns, rows, styleTitle, Number.POSITIVE_INFINITY).lines
}
