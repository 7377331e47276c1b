// Shows the figures as known on another day while the slider is dragged, and the revisions of a figure in a drawer, without
// leaving the page. Without scripts, the day is a form and each figure a link.
const data = JSON.parse(document.querySelector('#states')?.textContent ?? 'null')
const slider = document.querySelector('#as-of-slider')
const dayField = document.querySelector('#as-of-day')
const timeField = document.querySelector('#as-of-time')
const output = document.querySelector('#as-of-text')
const statements = document.querySelector('#statements')
const tables = [...document.querySelectorAll('.statement table')]
const rows = tables.flatMap(table => [...table.tBodies[0].rows])

// Reading cells, rows and columns from the document in every frame of a drag would take most of its time.
const cells = rows.map(row => [...row.cells].slice(1))
const columns = (cells[0] ?? []).map((_, column) =>
  tables.flatMap(table => [...table.rows].map(row => row.cells[column + 1])),
)
/** What each cell shows: a state, or the text of a reason. */
const shown = cells.map(row => row.map(() => undefined))
const lines = cells.map(row => row.map(() => undefined))
const visible = { rows: rows.map(row => !row.hidden), columns: columns.map(([head]) => !head.hidden) }

// A state: the stop from which it is shown, the stop from which it is no longer shown, the text, the former text or null, the
// title and the value; of figures of shares also the splits that changed it or null, how many splits it is behind, and whether
// it is adjusted. The server creates states by the same rule as its tables.
const stateAt = (spans, stop) => spans.find(([from, until]) => from <= stop && stop < until)

function piece(name, text) {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

/** Writes the text of a node only if it differs: a cell that keeps its nodes costs no layout of its table. */
function write(element, text) {
  const node = element.firstChild
  if (node === null) element.textContent = text
  else if (node.data !== text) node.data = text
}

/** Shows the former text or the split of a cell, or removes it. */
function note(cell, name, text) {
  const found = cell.querySelector(name)
  if (text === null) found?.remove()
  else if (found !== null) write(found, text)
  else if (name === 's') cell.querySelector('a').after(piece('s', text))
  else cell.append(piece(name, text))
}

function fill(cell, [, , text, former, title, value, split = null, , isAdjusted = 0]) {
  let link = cell.querySelector('a')
  if (link === null) {
    link = piece('a', text)
    link.href = '#figure'
    cell.replaceChildren(link)
  } else write(link, text)
  if (former !== null || split !== null) link.title = title
  else link.removeAttribute('title')
  note(cell, 's', former === text ? null : former)
  note(cell, 'i', split)
  const kinds = [former !== null && 'restated', split !== null && 'split', isAdjusted && 'adjusted']
    .filter(kind => kind)
    .join(' ')
  if (cell.className !== kinds) cell.className = kinds
  cell.dataset.v = value
  cell.title = title
}

function empty(cell, reason) {
  cell.className = 'blank'
  cell.title = reason
  cell.removeAttribute('data-v')
  const dash = piece('span', '–')
  dash.ariaHidden = 'true'
  const text = piece('span', reason)
  text.className = 'unseen'
  cell.replaceChildren(dash, text)
}

/** Draws a line in a cell whose figure is on the other side of a split than the one to its left. */
function drawLine(row, column, text) {
  if (lines[row][column] === text) return
  lines[row][column] = text
  const cell = cells[row][column]
  cell.classList.toggle('line', text !== '')
  if (text === '') cell.removeAttribute('data-line')
  else cell.dataset.line = text
}

function show(rowAt, known, stop, isColumn) {
  let left
  data.rows[rowAt].forEach((states, column) => {
    const state = stateAt(states, stop)
    const cell = cells[rowAt][column]
    if (state === undefined) {
      if (!isColumn[column]) return
      const spans = data.blanks[rowAt][column]
      const reason = data.reasons[(spans === 0 ? undefined : stateAt(spans, stop))?.[2] ?? 0]
      if (shown[rowAt][column] === reason) return
      empty(cell, reason)
      shown[rowAt][column] = reason
      lines[rowAt][column] = ''
      cell.removeAttribute('data-line')
      return
    }
    if (shown[rowAt][column] !== state) {
      fill(cell, state)
      shown[rowAt][column] = state
      lines[rowAt][column] = undefined
    }
    const [, , , , , , , behind = 0] = state
    const ends = [left ?? behind, behind].map(count => known.length - count).sort((a, b) => a - b)
    drawLine(rowAt, column, known.slice(...ends).join(', '))
    left = behind
  })
}

/**
 * Which columns and rows have any figure at each stop, and in which rows something changes there. A step of the slider
 * changes a few rows, and looking into all others would take most of its frame.
 */
function changesOf({ days, rows: states, blanks }) {
  const isColumnAt = columns.map(() => days.map(() => false))
  const isRowAt = states.map(() => days.map(() => false))
  const changedAt = days.map(() => new Set())
  states.forEach((row, rowAt) => {
    row.forEach((spans, column) => {
      for (const [from, until] of spans) {
        isColumnAt[column].fill(true, from, until)
        isRowAt[rowAt].fill(true, from, until)
      }
      for (const [from, until] of [...spans, ...(blanks[rowAt][column] || [])]) {
        changedAt[from].add(rowAt)
        changedAt[until]?.add(rowAt)
      }
    })
  })
  return { isColumnAt, isRowAt, changedAt }
}
const splitBox = document.querySelector('.splits')
const splitItems = [...document.querySelectorAll('.splits li')]
let changes = null
let lastStop = null

/** Shows a stop, and returns the rows that may have changed. */
function showStop(stop) {
  changes ??= changesOf(data)
  const { isColumnAt, isRowAt, changedAt } = changes
  const isColumn = isColumnAt.map(stops => stops[stop] ?? false)
  const known = data.splits.filter(([from]) => from <= stop).map(([, name]) => name)
  const isWhole =
    lastStop === null ||
    isColumn.some((is, place) => is !== visible.columns[place]) ||
    known.length !== data.splits.filter(([from]) => from <= lastStop).length
  const passed = isWhole
    ? [rows.keys()]
    : changedAt.slice(Math.min(stop, lastStop) + 1, Math.max(stop, lastStop) + 1)
  const changed = new Set(passed.flatMap(found => [...found]))
  lastStop = stop
  for (const rowAt of changed) {
    const isRow = isRowAt[rowAt][stop] ?? false
    if (isRow) show(rowAt, known, stop, isColumn)
    if (visible.rows[rowAt] === isRow) continue
    visible.rows[rowAt] = isRow
    rows[rowAt].hidden = !isRow
  }
  columns.forEach((column, place) => {
    if (visible.columns[place] === isColumn[place]) return
    visible.columns[place] = isColumn[place]
    for (const cell of column) cell.hidden = !isColumn[place]
  })
  for (const item of splitItems) item.hidden = Number(item.dataset.from) > stop
  if (splitBox !== null) splitBox.hidden = known.length === 0
  return changed
}

const spelled = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
let shownDay

/** Shows a day, or today if it is empty. The day is shown during the drag, and written to the URL at its end. */
function showDay(day) {
  const stop = day === '' ? data.days.length - 1 : data.days.findLastIndex(filed => filed <= day)
  const changed = showStop(stop)
  shownDay = day
  slider.value = Math.max(0, stop)
  const accepted = data.days[stop] === day && data.times[stop] !== '' ? `, accepted ${data.times[stop]}` : ''
  slider.setAttribute('aria-valuetext', day === '' ? 'today' : `${day}${accepted}`)
  if (dayField.value !== day) dayField.value = day
  timeField.value = ''
  output.textContent =
    day === ''
      ? 'Everything filed by today.'
      : `Only what had been filed by ${day} (${spelled.format(new Date(day))})${accepted}.`
  document.dispatchEvent(new CustomEvent('asfiled:day', { detail: { day, stop, changed } }))
}

function withField(address, name, value) {
  const url = new URL(address)
  if (value === '') url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url
}

function withDay(address, day) {
  const url = withField(address, 'as_of', day)
  url.searchParams.delete('time')
  url.searchParams.delete('tz')
  return url
}

const otherLinks = '.tabs a, a.trend, .options a[href^="/companies/"], .options a[href*="/companies/"]'

/** The links that lead to the same day on other tabs, and to the filings before and after it. */
function updateLinks(day) {
  for (const link of document.querySelectorAll(otherLinks))
    if (new URL(link.href).origin === location.origin) link.href = withDay(link.href, day).href
  for (const tab of document.querySelectorAll('.parts [data-since]'))
    tab.hidden = day !== '' && tab.dataset.since > day
  const base = withDay(location.href, '')
  base.searchParams.delete('cell')
  base.hash = ''
  const known = day === '' ? data.days.at(-1) : day
  const before = data.days.findLast(filed => filed < known)
  const after = day === '' ? undefined : data.days.find(filed => filed > day)
  for (const [id, filed] of [
    ['#previous-filing', before],
    ['#next-filing', after],
  ]) {
    const link = document.querySelector(id)
    if (filed === undefined) link.removeAttribute('href')
    else link.href = withDay(base, filed).href
  }
  const today = document.querySelector('#as-of-today')
  today.href = base.href
  today.hidden = day === ''
}

function settle(day) {
  const address = withDay(location.href, day)
  address.searchParams.delete('cell')
  address.hash = ''
  // With a long history, another day may need other columns, which come with the page of that day.
  if (data.isPart) {
    address.searchParams.delete('before')
    location.assign(address)
    return
  }
  // Back undoes the choice of a day, however many days were tried.
  if (history.state?.kind === 'day') history.replaceState({ kind: 'day' }, '', address)
  else history.pushState({ kind: 'day' }, '', address)
  updateLinks(day)
}

/** The day in the address: null if it is a time or a session, which only the server can show. */
function dayOfAddress() {
  const day = new URL(location.href).searchParams.get('as_of') ?? ''
  return /^(\d{4}-\d\d-\d\d)?$/.test(day) && !location.search.includes('time=') ? day : null
}

function choose(day) {
  showDay(day)
  settle(day)
}

if (data !== null && slider !== null) {
  const day = dayOfAddress()
  if (day !== null) {
    shownDay = day
    // The page shows this stop already, so a drag need not touch the cells that stay as they are.
    const stop = day === '' ? data.days.length - 1 : data.days.findLastIndex(filed => filed <= day)
    lastStop = stop
    data.rows.forEach((row, rowAt) => {
      row.forEach((states, column) => {
        const cell = cells[rowAt][column]
        shown[rowAt][column] = stateAt(states, stop) ?? cell.title
        lines[rowAt][column] = cell.dataset.line ?? ''
      })
    })
  }
  // The browser lays out tables up to a screen and a half below the window. While the slider moves, those out of view wait.
  const inView = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) target.classList.toggle('away', !isIntersecting)
  })
  for (const section of document.querySelectorAll('.statement')) inView.observe(section)
  const restMs = 200
  let rest = 0
  let frame = 0
  slider.addEventListener('input', () => {
    cancelAnimationFrame(frame)
    clearTimeout(rest)
    statements.classList.add('moving')
    rest = setTimeout(() => statements.classList.remove('moving'), restMs)
    const day = data.days[slider.valueAsNumber]
    frame = requestAnimationFrame(() => showDay(day))
  })
  slider.addEventListener('change', () => {
    cancelAnimationFrame(frame)
    choose(data.days[slider.valueAsNumber])
  })
  const isWhole = () =>
    dayField.value === '' || (dayField.checkValidity() && dayField.value <= dayField.dataset.today)
  dayField.addEventListener('change', () => {
    if (isWhole() && timeField.value === '' && dayField.value !== shownDay) choose(dayField.value)
  })
  dayField.form.addEventListener('submit', event => {
    if (timeField.value !== '' || !isWhole()) return
    event.preventDefault()
    if (dayField.value !== shownDay) choose(dayField.value)
  })
  for (const id of ['#previous-filing', '#next-filing', '#as-of-today']) {
    document.querySelector(id).addEventListener('click', event => {
      const { href } = event.currentTarget
      if (href === '' || !isPlain(event)) return
      event.preventDefault()
      choose(new URL(href).searchParams.get('as_of') ?? '')
    })
  }
}

document.querySelector('#show-changes')?.addEventListener('change', ({ currentTarget: { checked } }) => {
  statements.classList.toggle('changes', checked)
  const value = checked ? 'shown' : ''
  history.replaceState(history.state, '', withField(location.href, 'changes', value))
  for (const link of document.querySelectorAll(otherLinks))
    if (new URL(link.href).origin === location.origin && !link.closest('.parts'))
      link.href = withField(link.href, 'changes', value).href
})

const drawer = document.querySelector('#drawer')
const isPlain = ({ button, metaKey, ctrlKey, shiftKey }) => button === 0 && !metaKey && !ctrlKey && !shiftKey

function addressOf(cell) {
  const address = new URL(location.href)
  address.searchParams.set('cell', cell)
  address.hash = ''
  return address
}

/** `revenue.2009.FY.2009-09-26`. */
function nameOf(cell) {
  const head = cell.closest('table').tHead.rows[0].cells[cell.cellIndex]
  const [fp, fy] = head.firstChild.textContent.split(' ')
  return `${cell.parentElement.dataset.m}.${fy}.${fp}.${head.querySelector('small').textContent}`
}

const linkOf = name =>
  cells
    .flat()
    .find(cell => !cell.hidden && nameOf(cell) === name)
    ?.querySelector('a')

function openDrawer(section) {
  drawer.querySelector('#figure')?.remove()
  drawer.append(section)
  if (!drawer.open) drawer.showModal()
  drawer.scrollTop = 0
  section.focus({ preventScroll: true })
}

async function openFigure(cell, isNew) {
  const address = addressOf(cell)
  const response = await fetch(address)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = page.querySelector('#figure')
  // Over the rate limit, or an error: the page of that address says so.
  if (found === null) return location.assign(address)
  document.querySelector('#figure')?.remove()
  if (isNew) history.pushState({ kind: 'figure' }, '', address)
  openDrawer(document.adoptNode(found))
}

const cellOfAddress = () => new URL(location.href).searchParams.get('cell')
let cellShown = cellOfAddress()

drawer?.addEventListener('close', () => {
  linkOf(cellShown)?.focus()
  if (cellOfAddress() === null) return
  // The page before this entry is the same one without the drawer, unless the drawer's own address was opened.
  if (history.state?.kind === 'figure') history.back()
  else history.replaceState(history.state, '', withField(location.href, 'cell', ''))
})
drawer?.addEventListener('click', event => {
  if (event.target === drawer) drawer.close()
})
if (drawer !== null && cellShown !== null) openDrawer(document.querySelector('#figure'))

addEventListener('popstate', () => {
  const day = dayOfAddress()
  if (data !== null && slider !== null && day !== shownDay) {
    if (day === null || data.isPart) return location.reload()
    showDay(day)
    updateLinks(day)
  }
  const cell = cellOfAddress()
  if (cell === null) drawer?.close()
  else {
    cellShown = cell
    openFigure(cell, false)
  }
})

document.addEventListener('click', event => {
  const cell = event.target.closest('.statement td')
  if (cell === null || !isPlain(event) || event.target.closest('a') === null) return
  event.preventDefault()
  cellShown = nameOf(cell)
  openFigure(cellShown, true)
})

// A link that is opened in another tab leads to the day that is shown now.
for (const kind of ['pointerdown', 'focusin']) {
  statements?.addEventListener(kind, ({ target }) => {
    const link = target.closest('td a')
    if (link !== null) link.href = `${addressOf(nameOf(link.closest('td')))}#figure`
  })
}
