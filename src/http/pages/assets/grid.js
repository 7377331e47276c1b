// Makes each table of figures one tab stop: arrow keys, Home and End move inside it, with Ctrl from corner to corner.
// Without scripts every link is a tab stop. The table keeps its own role, so the commands of screen readers for tables and
// for links work as in any other table.
// Pages load it beside other scripts, so its names are its own.
;(() => {
  const focusable = 'a[href], button, input[type="checkbox"]'

  /** What the keys reach in a row: its links, buttons and checkboxes, and each cell of a figure that has none. */
  function stopsOf(row) {
    return [...row.cells].flatMap(cell => {
      if (cell.hidden) return []
      const inside = [...cell.querySelectorAll(focusable)]
      return inside.length === 0 && cell.localName === 'td' ? [cell] : inside
    })
  }

  const rowsOf = table => [...table.rows].filter(row => !row.hidden && stopsOf(row).length > 0)
  const cellOf = stop => stop.closest('td, th')

  /** Leaves one tab stop: `wanted`, or the one before the change, or the first. */
  function leaveOne(table, wanted = table.querySelector('[tabindex="0"]')) {
    const isUsable = wanted?.checkVisibility()
    const chosen = isUsable ? wanted : (rowsOf(table).flatMap(stopsOf)[0] ?? null)
    for (const stop of table.querySelectorAll(`:is(${focusable}):not([tabindex="-1"]), td[tabindex="0"]`))
      if (stop !== chosen) stop.tabIndex = -1
    if (chosen === null) return
    chosen.tabIndex = 0
    // The box of the table scrolls with the figures in it, so it needs no tab stop of its own.
    table.closest('.scroll[tabindex]')?.removeAttribute('tabindex')
  }

  /** The first stop of a row in the column of another stop, or null. */
  function sameColumn(row, stop) {
    const stops = stopsOf(row)
    const { cellIndex } = cellOf(stop)
    return stops.find(other => cellOf(other).cellIndex === cellIndex) ?? null
  }

  function vertical(rows, stop, step) {
    let at = rows.indexOf(stop.closest('tr')) + step
    for (; at >= 0 && at < rows.length; at += step) {
      const found = sameColumn(rows[at], stop)
      if (found !== null) return found
    }
    return null
  }

  function target({ key, ctrlKey }, table, stop) {
    const rows = rowsOf(table)
    const row = stopsOf(stop.closest('tr'))
    const at = row.indexOf(stop)
    if (ctrlKey) {
      if (key === 'Home') return stopsOf(rows[0])[0]
      return key === 'End' ? stopsOf(rows.at(-1)).at(-1) : null
    }
    switch (key) {
      case 'ArrowRight':
        return row[at + 1] ?? null
      case 'ArrowLeft':
        return row[at - 1] ?? null
      case 'ArrowDown':
        return vertical(rows, stop, 1)
      case 'ArrowUp':
        return vertical(rows, stop, -1)
      case 'Home':
        return row[0]
      case 'End':
        return row.at(-1)
      default:
        return null
    }
  }

  // Screen readers are told by the cells and links themselves.
  const tip = document.createElement('div')
  tip.className = 'cell-tip'
  tip.hidden = true
  tip.ariaHidden = 'true'
  document.body.append(tip)

  /** Shows at the edge of the window what hovering over the cell would show. */
  function showTip(stop) {
    const cell = stop.closest('.figures td[title]')
    tip.hidden = cell === null || !stop.matches(':focus-visible')
    tip.textContent = tip.hidden ? '' : cell.title
  }

  const keys = new Set(['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End'])

  function move(event, table) {
    if (!keys.has(event.key) || event.altKey || event.metaKey || event.shiftKey) return
    if (event.ctrlKey && !['Home', 'End'].includes(event.key)) return
    const stop = event.target
    if (!stop.matches(`td, ${focusable}`)) return
    // At an edge the page must not scroll either: the key belongs to the table.
    event.preventDefault()
    const found = target(event, table, stop)
    if (found === null) return
    leaveOne(table, found)
    found.focus()
  }

  for (const table of document.querySelectorAll('table.figures, table.presented')) {
    leaveOne(table)
    table.addEventListener('keydown', event => move(event, table))
    table.addEventListener('focusin', ({ target }) => {
      if (!target.matches(`td, ${focusable}`)) return
      leaveOne(table, target)
      showTip(target)
    })
    table.addEventListener('focusout', () => {
      tip.hidden = true
    })
    // Other scripts fill cells and hide columns. A slider does so in every frame, so the check waits until they are done.
    let timer = 0
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(() => leaveOne(table), 150)
    })
    observer.observe(table, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden'] })
  }
})()
