// What TypeDoc's scripts write into a page, made usable by keyboard and screen reader.

/** The name of a part of the navigation is a link, and the arrow beside it a button of its own. */
function separateLinks(navigation) {
  for (const link of navigation.querySelectorAll('summary > a')) {
    const summary = link.parentElement
    summary.ariaLabel = link.textContent
    summary.parentElement.before(link)
  }
}

/** Results are chosen by the arrow keys, within one field. */
function skipResults(results) {
  for (const link of results.querySelectorAll('a:not([tabindex])')) link.tabIndex = -1
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
  whenChanged(document.querySelector('#tsd-search-results'), skipResults)
  new ResizeObserver(focusBoxes).observe(document.body)
})
