// Shows the figures as known on another day while the slider is dragged, and the revisions of a figure
// without leaving the page. Without scripts, the day is a form and each figure a link.
const data = JSON.parse(document.querySelector('#states')?.textContent ?? 'null')
const slider = document.querySelector('#as-of-slider')
const select = document.querySelector('#as-of-day')
const output = document.querySelector('#as-of-text')
const tables = [...document.querySelectorAll('.statement table')]
const rows = tables.flatMap(table => [...table.tBodies[0].rows])

// A state: the stop from which it is shown, the stop from which it is no longer shown, the text, the former
// text or null, the title and the value. The server creates states by the same rule as its tables.
const stateAt = (states, stop) => states.find(([from, until]) => from <= stop && stop < until)

function fill(cell, [, , text, former, title, value]) {
  const link = cell.querySelector('a') ?? document.createElement('a')
  link.textContent = text
  if (!link.hasAttribute('href')) link.href = '#figure'
  cell.replaceChildren(link)
  if (former !== null && former !== text) {
    const struck = document.createElement('s')
    struck.textContent = former
    cell.append(struck)
  }
  cell.className = former === null ? '' : 'restated'
  cell.dataset.v = value
  cell.title = title
}

function empty(cell) {
  cell.replaceChildren()
  cell.removeAttribute('title')
  cell.className = ''
}

function showStop(stop) {
  const columns = new Set()
  rows.forEach((row, place) => {
    let isEmpty = true
    data.rows[place].forEach((states, column) => {
      const cell = row.cells[column + 1]
      const state = stateAt(states, stop)
      if (state === undefined) empty(cell)
      else {
        columns.add(column)
        isEmpty = false
        fill(cell, state)
      }
    })
    row.hidden = isEmpty
  })
  for (const table of tables) {
    for (const row of table.rows) {
      for (let column = 1; column < row.cells.length; column++)
        row.cells[column].hidden = !columns.has(column - 1)
    }
  }
  document.dispatchEvent(new CustomEvent('stop', { detail: { stop, columns } }))
}

// The day is shown during the drag, and written to the URL at its end.
function show(day) {
  const stop = day === '' ? data.days.length - 1 : data.days.findLastIndex(filed => filed <= day)
  showStop(stop)
  slider.value = Math.max(0, stop)
  const time = data.days[stop] === day ? data.times[stop] : ''
  const known = time === '' ? day : `${day}, accepted ${time}`
  slider.setAttribute('aria-valuetext', day === '' ? 'today' : known)
  select.value = day
  output.textContent = day === '' ? 'Everything filed by today.' : `Only what had been filed by ${known}.`
}

function withDay(address, day) {
  const url = new URL(address)
  if (day === '') url.searchParams.delete('as_of')
  else url.searchParams.set('as_of', day)
  return url
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
  history.replaceState(null, '', address)
  for (const link of document.querySelectorAll('.tabs a, a.trend')) link.href = withDay(link.href, day).href
}

if (data !== null && slider !== null) {
  let frame = 0
  slider.addEventListener('input', () => {
    cancelAnimationFrame(frame)
    const day = data.days[slider.valueAsNumber]
    frame = requestAnimationFrame(() => show(day))
  })
  slider.addEventListener('change', () => {
    cancelAnimationFrame(frame)
    const day = data.days[slider.valueAsNumber]
    show(day)
    settle(day)
  })
  select.addEventListener('change', () => {
    show(select.value)
    settle(select.value)
  })
}

const section = document.querySelector('#figure')

async function openFigure(row, cell) {
  const [period] = [...cell.closest('table').tHead.rows[0].cells].slice(cell.cellIndex, cell.cellIndex + 1)
  const [fp, fy] = period.firstChild.textContent.split(' ')
  const end = period.querySelector('small').textContent
  const address = new URL(location.href)
  address.searchParams.set('cell', `${row.dataset.m}.${fy}.${fp}.${end}`)
  address.hash = ''
  const response = await fetch(address)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = page.querySelector('#figure')
  // Over the rate limit, or an error: the page of that address says so.
  if (found === null) return location.assign(address)
  section.replaceChildren(...found.childNodes)
  history.replaceState(null, '', address)
  section.scrollIntoView({ block: 'nearest' })
  section.focus({ preventScroll: true })
}

document.addEventListener('click', event => {
  const cell = event.target.closest('.statement td')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
  if (cell === null || !isPlain || event.target.closest('a') === null) return
  event.preventDefault()
  openFigure(cell.parentElement, cell)
})
