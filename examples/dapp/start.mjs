// `npm run dapp` of the repository: prepares what is missing, and starts the page.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const example = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} folder @param {...string} args */
function npm(folder, ...args) {
  console.log(`> npm ${args.join(' ')}   (${folder === root ? 'etn-market' : 'examples/dapp'})`)
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${root}node_modules`)) npm(root, 'ci', '--no-audit', '--no-fund')
if (!existsSync(`${example}node_modules`)) npm(example, 'ci', '--no-audit', '--no-fund')
console.log(
  process.env.ETN_MARKET_API_KEY
    ? 'ETN_MARKET_API_KEY is set: the page talks to the proxy on this server, and spends credits of the key.'
    : 'No ETN_MARKET_API_KEY: the service and the proxy run inside the page, and nothing is spent.',
)
npm(example, 'run', 'dev')
