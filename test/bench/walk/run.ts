/** Which way a call takes through the code: how many functions it enters, in how many files, and how often it changes the file. */
import { parseArgs } from 'node:util'
import { printTable } from '../../../examples/support/table.ts'
import { measure } from '../support/processes.ts'
import { instrument } from './instrument.ts'

/** The file and the name of each function that was entered, in this order. */
type Entries = readonly (readonly [file: string, name: string])[]

const TITLES = {
  price: 'one `token.price()`',
  tick: 'a tick of a feed, three tokens',
  hit: 'a request of the proxy, from its cache',
  lines: '`etn-market run`, two lines, from start to end',
}
type Walks = Record<keyof typeof TITLES, Entries>

const { values } = parseArgs({
  strict: false,
  options: { against: { type: 'string' }, list: { type: 'string' } },
})

const rows: string[][] = []
for (const ref of [values.against as string | undefined, undefined].slice(values.against === undefined ? 1 : 0)) {
  const walks = await measure<Walks>('walk/trace.mjs', { folder: instrument(ref) })
  for (const name of Object.keys(TITLES) as (keyof Walks)[]) {
    const entries = walks[name]
    const files = new Set(entries.map(([file]) => file))
    const functions = new Set(entries.map((entry) => entry.join(' ')))
    const changes = entries.filter(([file], index) => index > 0 && file !== entries[index - 1]?.[0]).length
    const title = ref === undefined ? TITLES[name] : `${TITLES[name]}, ${ref}`
    rows.push([title, ...[functions.size, entries.length, files.size, changes].map(String)])
    if (values.list === name) for (const entry of entries) console.log(entry.join(' '))
  }
}
printTable(['Way of', 'functions', 'entered', 'files', 'changes of file'], rows)
