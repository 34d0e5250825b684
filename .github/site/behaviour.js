// What TypeDoc's scripts write into a page, made usable by keyboard and screen reader, and a search of sections in the place of theirs.

/** The name of a part of the navigation is a link, and the arrow beside it a button of its own. */
function separateLinks(navigation) {
  for (const link of navigation.querySelectorAll('summary > a')) {
    const summary = link.parentElement
    summary.ariaLabel = link.textContent
    summary.parentElement.before(link)
  }
}

/** A box that scrolls is reached by the keyboard. */
function focusBoxes() {
  for (const box of document.querySelectorAll('[role=main] :is(table, pre, .tsd-signature)'))
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0
}

const MAX_RESULTS = 12
/** Letters of the text before what was found. */
const BEFORE = 40
const EXCERPT = 150

/** A word as it was written, and the name of a library without its ending: "nextjs" and "next.js" are called "Next" here. */
function spellingsOf(word) {
  const stem = word.replace(/\.?js$/, '')
  return stem.length > 1 && stem !== word ? [word, stem] : [word]
}

/** Where one of the spellings stands; at the beginning of a word, if it does anywhere. */
function placeIn(text, spellings) {
  const places = spellings.map((spelling) => {
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1))
      if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return { at, spelling, isWord: true }
    return { at: text.indexOf(spelling), spelling, isWord: false }
  })
  return places.find(({ isWord }) => isWord) ?? places.find(({ at }) => at >= 0)
}

/** How well a row answers to a word; 0 where it does not have it. */
function scoreOf({ title, text, kind }, spellings) {
  const name = kind === 'member' ? title.slice(title.indexOf('.') + 1) : title
  const inName = placeIn(name.toLowerCase(), spellings)
  const weight = kind === 'member' ? 0.4 : kind === 'guide' ? 1.5 : 1
  if (inName) {
    const isWhole = inName.spelling.length === name.length
    return weight * (isWhole ? 100 : inName.isWord ? 50 : 20)
  }
  const inText = placeIn(text.toLowerCase(), spellings)
  return inText ? weight * (inText.isWord ? 6 : 2) : 0
}

/** Rows with all words, the best first. */
function findRows(rows, words) {
  return rows
    .map((row) => {
      const scores = words.map((spellings) => scoreOf(row, spellings))
      return { row, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ row }) => row)
}

/** A text with what was found marked. */
function marked(text, words) {
  const lower = text.toLowerCase()
  const places = words
    .map((spellings) => placeIn(lower, spellings))
    .filter(Boolean)
    .sort((one, other) => one.at - other.at)
  const parts = []
  let end = 0
  for (const { at, spelling } of places) {
    if (at < end) continue
    const mark = document.createElement('mark')
    mark.textContent = text.slice(at, at + spelling.length)
    parts.push(text.slice(end, at), mark)
    end = at + spelling.length
  }
  return [...parts, text.slice(end)]
}

/** The part of a text that was found. */
function excerptOf(text, words) {
  const places = words.flatMap((spellings) => placeIn(text.toLowerCase(), spellings)?.at ?? [])
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE)
  const begin = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + EXCERPT)}${text.length > begin + EXCERPT ? ' …' : ''}`
}

/** An option of the list. A link in it would be a second thing to choose, so its text leads there by itself. */
function optionOf({ title, place, url, text }, index, words) {
  const [option, link] = [document.createElement('li'), document.createElement('a')]
  option.id = `tsd-search-${index}`
  option.role = 'option'
  option.ariaSelected = 'false'
  link.dataset.href = new URL(url, new URL(document.documentElement.dataset.base, location.href)).href
  for (const [name, content] of [
    ['result-title', marked(title, words)],
    ['result-place', [place === title ? '' : place]],
    ['result-text', marked(excerptOf(text, words), words)],
  ]) {
    const part = document.createElement('span')
    part.className = name
    part.append(...content)
    link.append(part, ' ')
  }
  option.append(link)
  return option
}

/** TypeDoc opens the dialog and follows the arrow keys; what is found comes from `assets/search.js`. */
function search(event) {
  event.stopImmediatePropagation()
  const [field, results] = [event.target, document.querySelector('#tsd-search-results')]
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(spellingsOf)
  const found = words.length === 0 ? [] : findRows(globalThis.searchRows ?? [], words)
  field.setAttribute('aria-activedescendant', '')
  results.replaceChildren(...found.map((row, index) => optionOf(row, index, words)))
  const isMissing = words.length > 0 && found.length === 0
  showStatus(isMissing ? `Nothing is found for “${field.value.trim()}”` : '')
}

function showStatus(text) {
  const line = document.createElement('div')
  line.textContent = text
  document.querySelector('#tsd-search-status').replaceChildren(...(text === '' ? [] : [line]))
}

function followResult(event) {
  const href = event.target.closest('[data-href]')?.dataset.href
  if (href === undefined || event.button > 1) return
  if (event.ctrlKey || event.metaKey || event.button === 1) return void open(href, '_blank', 'noopener')
  // On the same page nothing would load, and the dialog would stay. TypeDoc closes it as by Escape.
  document.querySelector('#tsd-search')?.dispatchEvent(new Event('cancel', { cancelable: true }))
  location.assign(href)
}

function whenChanged(element, change) {
  if (element === null) return
  change(element)
  new MutationObserver(() => change(element)).observe(element, { childList: true, subtree: true })
}

document.addEventListener('DOMContentLoaded', () => {
  whenChanged(document.querySelector('#tsd-nav-container'), separateLinks)
  // Before the field gets it, where TypeDoc listens.
  document.querySelector('#tsd-search')?.addEventListener('input', search, true)
  showStatus('')
  const results = document.querySelector('#tsd-search-results')
  results?.addEventListener('click', followResult)
  results?.addEventListener('auxclick', followResult)
  new ResizeObserver(focusBoxes).observe(document.body)
})
