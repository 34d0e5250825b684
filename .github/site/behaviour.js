// What TypeDoc's scripts write into a page, made usable by keyboard and screen reader.

/** The name of a part of the navigation is a link, and the arrow beside it a button of its own. */
function separateLinks(navigation) {
  for (const link of navigation.querySelectorAll('summary > a')) {
    const summary = link.parentElement
    summary.ariaLabel = link.textContent
    summary.parentElement.before(link)
  }
}

/** A result is an option of a list, in which a link would be a second thing to choose: the text leads there by itself. */
function unlinkResults(results) {
  for (const link of results.querySelectorAll('a[href]')) {
    link.dataset.href = link.href
    link.removeAttribute('href')
  }
}

function followResult(event) {
  const href = event.target.closest('[data-href]')?.dataset.href
  if (href === undefined || event.button > 1) return
  if (event.ctrlKey || event.metaKey || event.button === 1) open(href, '_blank', 'noopener')
  else location.assign(href)
}

/** A box that scrolls is reached by the keyboard. */
function focusBoxes() {
  for (const box of document.querySelectorAll('[role=main] :is(table, pre, .tsd-signature)'))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
}

function whenChanged(element, change) {
  if (element === null) return
  change(element)
  new MutationObserver(() => change(element)).observe(element, { childList: true, subtree: true })
}

document.addEventListener('DOMContentLoaded', () => {
  whenChanged(document.querySelector('#tsd-nav-container'), separateLinks)
  const results = document.querySelector('#tsd-search-results')
  whenChanged(results, unlinkResults)
  results?.addEventListener('click', followResult)
  results?.addEventListener('auxclick', followResult)
  new ResizeObserver(focusBoxes).observe(document.body)
})
