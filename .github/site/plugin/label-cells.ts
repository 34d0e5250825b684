import { type Application, PageEvent } from 'typedoc'

/** Gives the cells of a table the names of their columns, and all of it its roles: on a phone, where a row is a list, no header stands above them. */
export function labelCells(app: Application): void {
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = page.contents?.replace(/<table>.*?<\/table>/gs, labelTable)
  })
}

function labelTable(table: string): string {
  const names = [...table.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, name = '']) =>
    name.replace(/<[^>]+>/g, '').trim(),
  )
  let column = 0
  return table
    .replace('<table>', `<table role="table"${names.length > 2 ? ' class="wide"' : ''}>`)
    .replaceAll(' style="text-align:right"', ' class="number"')
    .replace(/<(thead|tbody)>/g, '<$1 role="rowgroup">')
    .replace(/<th(?=[ >])/g, '<th role="columnheader"')
    .replace(/<tr>|<td(?=[ >])/g, (tag) => {
      if (tag !== '<tr>') return `<td role="cell" data-label="${names[column++] ?? ''}"`
      column = 0
      return '<tr role="row">'
    })
}
