/** The page at `/_fake`, made with the platform only. Its script polls the control routes. */
const PAGE = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fake service</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8884 }
caption { text-align: left; font-weight: 600; padding: 1rem 0 .2rem }
:focus-visible { outline: 3px solid #06c }
</style>
<h1>Fake service</h1>
<p id="status" role="status">Loading</p>
<p>
  <button id="pause" aria-pressed="false">Pause</button>
  <button id="reset">Reset</button>
  <label>Control token <input id="token" type="password" autocomplete="off"></label>
</p>
<table><caption>Faults</caption><thead><tr><th scope=col>Fault<th scope=col>Hits<th scope=col>Action<tbody id="faults"></table>
<table><caption>Ledger</caption><thead><tr><th scope=col>Request<th scope=col>Operation<th scope=col>Items<th scope=col>Credits<th scope=col>Delivered<tbody id="ledger"></table>
<table><caption>Journal</caption><thead><tr><th scope=col>Number<th scope=col>Request<th scope=col>Status<th scope=col>Credits<th scope=col>Fault<tbody id="journal"></table>
<script src="/_fake/page.js"></script>
</html>
`

const SCRIPT = `const get = (id) => document.getElementById(id)
let paused = false
async function call(method, path) {
  const token = get('token').value
  const response = await fetch('/_fake/' + path, { method, headers: token ? { 'x-fake-control-token': token } : {} })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error.message)
  return body
}
function row(cells) {
  const tr = document.createElement('tr')
  for (const cell of cells) {
    const td = document.createElement('td')
    td.append(cell instanceof Node ? cell : String(cell ?? ''))
    tr.append(td)
  }
  return tr
}
function removeButton(fault) {
  const button = document.createElement('button')
  button.textContent = 'Remove'
  button.id = 'remove-' + fault.id
  button.setAttribute('aria-label', 'Remove fault ' + fault.id)
  button.addEventListener('click', () => act('DELETE', 'faults/' + fault.id))
  return button
}
const shown = { faults: '', ledger: '', journal: '' }
function show(name, rows, make) {
  const text = JSON.stringify(rows)
  if (text === shown[name]) return
  shown[name] = text
  const focused = document.activeElement.id
  get(name).replaceChildren(...rows.map(make))
  // Replacing a focused button loses the focus.
  if (focused && document.activeElement === document.body)
    (get(focused) ?? get(name).querySelector('button') ?? get('reset')).focus()
}
async function update() {
  try {
    const [faults, ledger, journal, totals] = await Promise.all(
      ['faults', 'ledger?last=100', 'journal?last=100', 'totals'].map((path) => call('GET', path)),
    )
    show('faults', faults, (one) => row([one.label, one.hits, removeButton(one)]))
    show('ledger', ledger.reverse(), (one) =>
      row([one.request, one.operation, one.items, one.credits, one.delivered ? 'yes' : 'no']))
    show('journal', journal.reverse(), (one) =>
      row([one.id, one.method + ' ' + one.path, one.status ?? 'no answer', one.credits, one.fault]))
    get('status').textContent = totals.charged + ' credits charged, ' + (journal[0]?.id ?? 0) + ' requests'
  } catch (error) {
    get('status').textContent = error.message
  }
}
async function act(method, path) {
  try {
    await call(method, path)
  } catch (error) {
    get('status').textContent = error.message
    return
  }
  await update()
}
get('pause').addEventListener('click', () => {
  paused = !paused
  get('pause').setAttribute('aria-pressed', String(paused))
})
get('reset').addEventListener('click', () => act('POST', 'reset'))
get('token').addEventListener('change', update)
setInterval(() => paused || update(), 1000)
update()
`

/** The parts of the page by their paths. */
export function findPage(path: string): { type: string; text: string } | undefined {
  if (path === '') return { type: 'text/html; charset=utf-8', text: PAGE }
  return path === 'page.js' ? { type: 'text/javascript; charset=utf-8', text: SCRIPT } : undefined
}
