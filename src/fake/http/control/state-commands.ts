import type { FakeCandle } from '../../data/candles.ts'
import { asNumber, FakeUsageError } from '../../rules/check-options.ts'
import { BUCKETS, type Bucket } from '../../rules/parse-query.ts'
import { address, amount, count, flag, object } from '../../rules/schema.ts'
import { type FakeService, type FakeSnapshot, RESET_PARTS, type ResetPart } from '../../types.ts'
import { type Commands, Registry } from './commands.ts'
import { answer, ref } from './schemas.ts'

/** Keys, time and heavy slots. */
export function keyAndTimeCommands(fake: FakeService): Commands {
  const slots = new Registry<() => void>('heavy slot')
  return {
    'GET keys': {
      summary: 'The keys and their credits.',
      answers: ref('Keys'),
      run: () => fake.keys(),
    },
    'POST keys': {
      summary: 'Adds keys, or replaces their credits: all of them or none.',
      takes: ref('NewKeys'),
      answers: ref('Keys'),
      run(given) {
        fake.addKeys(given as Parameters<FakeService['addKeys']>[0])
        return fake.keys()
      },
    },
    'GET clock': {
      summary: 'The time in unix milliseconds.',
      answers: ref('Time'),
      run: () => ({ now: fake.now() }),
    },
    'POST clock': {
      summary: 'Moves the time forward: by `advanceMs`, or to `now`.',
      takes: object({ advanceMs: { type: 'number', minimum: 0 }, now: { type: 'number' } }),
      answers: ref('Time'),
      async run({ advanceMs, now }) {
        if ((advanceMs === undefined) === (now === undefined)) throw new FakeUsageError('Give either advanceMs or now.')
        const ms = now === undefined ? (advanceMs as number) : asNumber('now', now, fake.now()) - fake.now()
        await fake.advance(ms)
        return { now: fake.now() }
      },
    },
    'POST heavy-slots': {
      summary: 'Takes a heavy slot, as another tenant would.',
      answers: ref('Id'),
      run: () => ({ id: slots.add(fake.holdHeavySlot()) }),
    },
    'DELETE heavy-slots/{id}': {
      summary: 'Frees a heavy slot.',
      answers: answer({ freed: count }),
      run(_, id) {
        slots.take(id)()
        return { freed: Number(id) }
      },
    },
  }
}

/** Changes of the data. */
export function worldCommands({ world }: FakeService): Commands {
  const done = (run: () => void) => {
    run()
    return { version: world.version }
  }
  const text = (value: unknown) => value as string
  const answers = ref('Version')
  return {
    'GET world': {
      summary: 'The version of the data.',
      answers,
      run: () => ({ version: world.version }),
    },
    'POST world/price': {
      summary: 'Sets the price of a token in USD, at once or over a time.',
      takes: object({ token: address, usd: amount, overMs: { type: 'number', minimum: 0 } }, ['token', 'usd']),
      answers,
      run: ({ token, usd, overMs }) =>
        done(() => world.setPrice(text(token), text(usd), overMs === undefined ? {} : { overMs: overMs as number })),
    },
    'POST world/unprice': {
      summary: 'Takes the price of a token away.',
      takes: object({ token: address }, ['token']),
      answers,
      run: ({ token }) => done(() => world.unprice(text(token))),
    },
    'POST world/trade': {
      summary: 'Adds a trade worth an amount in USD.',
      takes: object({ token: address, usd: amount }, ['token', 'usd']),
      answers,
      run: ({ token, usd }) => done(() => world.trade({ token: text(token), usd: text(usd) })),
    },
    'POST world/candles': {
      summary: 'Replaces candles of the past.',
      takes: object(
        {
          token: address,
          bucket: { type: 'string', enum: BUCKETS },
          rows: { type: 'array', items: ref('Candle') },
        },
        ['token', 'bucket', 'rows'],
      ),
      answers,
      run: ({ token, bucket, rows }) => done(() => world.candles(text(token), bucket as Bucket, rows as FakeCandle[])),
    },
    'POST world/release': {
      summary: 'Gives a token its usual price back.',
      takes: object({ token: address }, ['token']),
      answers,
      run: ({ token }) => done(() => world.release(text(token))),
    },
  }
}

/** Reset, snapshots. */
export function stateCommands(fake: FakeService, maxSnapshots: number): Commands {
  const snapshots = new Registry<FakeSnapshot>('snapshot', maxSnapshots)
  return {
    'POST reset': {
      summary: 'Resets the fake; `keep` lists the parts to keep.',
      takes: object({ keep: { type: 'array', items: { type: 'string', enum: RESET_PARTS } } }),
      answers: answer({ reset: flag }),
      run({ keep = [] }) {
        fake.reset({ keep: keep as ResetPart[] })
        return { reset: true }
      },
    },
    'POST snapshot': {
      summary: 'Keeps the state.',
      answers: answer({ id: count, at: { type: 'number' } }),
      run() {
        const snapshot = fake.snapshot()
        return { id: snapshots.add(snapshot), at: snapshot.at }
      },
    },
    'DELETE snapshots/{id}': {
      summary: 'Drops a snapshot.',
      answers: ref('Removed'),
      run(_, id) {
        snapshots.take(id)
        return { removed: Number(id) }
      },
    },
    'POST restore': {
      summary: 'Restores the state of a snapshot.',
      takes: object({ id: count }, ['id']),
      answers: answer({ at: { type: 'number' } }),
      run({ id }) {
        const snapshot = snapshots.get(String(id))
        fake.restore(snapshot)
        return { at: snapshot.at }
      },
    },
  }
}
