// Growth, sparklines and the bars of a company. The server uses this file for the page, and companyChart.js to show another day, so both
// follow the same definitions.

const oneDigit = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

const signed = number => {
  const text = oneDigit.format(number)
  return /^-0\.0$/.test(text) ? '0.0' : number > 0 ? `+${text}` : text
}

export function changeInPercent(before, after) {
  if (before === 0 || Math.sign(before) !== Math.sign(after)) return null
  return ((after - before) / Math.abs(before)) * 100
}

export const shownChange = percent => (percent === null ? 'n/a' : `${signed(percent)}%`)

export function growthOf(latest, before, isPercentage) {
  const missing = why => ({ text: 'n/a', why })
  if (latest === null) return missing('there is no figure for the latest period')
  if (before === null) return missing('there is none for the same period of the year before')
  if (latest.unit !== before.unit) return missing(`${before.unit} became ${latest.unit}`)
  if (latest.behind !== before.behind) return missing('a split of shares lies between the two figures')
  if (isPercentage) return { text: `${signed((latest.value - before.value) * 100)} pp`, why: null }
  const percent = changeInPercent(before.value, latest.value)
  return percent === null
    ? missing('the sign changed, or one of the two figures is zero')
    : { text: shownChange(percent), why: null }
}

export function compoundGrowthOf(cells, latest, yearBefore, isShown) {
  const last = cells[latest]
  if (last === null || last.value <= 0) return null
  let longest = null
  for (let column = yearBefore[latest], years = 1; column !== -1; column = yearBefore[column], years++) {
    const first = cells[column]
    if (first === null || !isShown(column)) continue
    if (first.unit !== last.unit || first.behind !== last.behind || first.value <= 0) continue
    longest = { column, years, percent: ((last.value / first.value) ** (1 / years) - 1) * 100 }
  }
  return longest === null || longest.years < 2 ? null : longest
}

// Whole numbers in a picture drawn at half its size: fractions would make up a tenth of the page.
const sparkWidth = 120
const sparkHeight = 32
const margin = 4

/** A line through the values, interrupted where there is none. A single value is a dot. */
function sparkPath(values) {
  const known = values.filter(value => value !== null)
  const low = Math.min(...known)
  const high = Math.max(...known)
  const x = at => margin + (values.length === 1 ? 0 : (at / (values.length - 1)) * (sparkWidth - 2 * margin))
  const y = value =>
    high === low ? sparkHeight / 2 : margin + ((high - value) / (high - low)) * (sparkHeight - 2 * margin)
  let path = ''
  values.forEach((value, at) => {
    if (value === null) return
    const isStart = at === 0 || values[at - 1] === null
    const isAlone = isStart && (at === values.length - 1 || values[at + 1] === null)
    path += `${isStart ? 'M' : 'L'}${Math.round(x(at))} ${Math.round(y(value))}${isAlone ? 'h1' : ''}`
  })
  return path
}

export function trendOf(cells, columns, { label, labels, yearBefore, isPercentage }) {
  const latest = columns.at(-1)
  if (latest === undefined)
    return { path: '', text: 'n/a', title: `Plot ${label}: n/a because nothing is shown` }
  const before = yearBefore[latest]
  const growth = growthOf(cells[latest], before === -1 ? null : cells[before], isPercentage)
  const last = columns.map(column => cells[column]).findLast(cell => cell !== null)
  const values = columns.map(column => {
    const cell = cells[column]
    const isAlike = cell !== null && cell.unit === last.unit && cell.behind === last.behind
    return isAlike ? cell.value : null
  })
  const compared =
    growth.why === null ? `from ${labels[before]} to ${labels[latest]}` : `because ${growth.why}`
  const compound = isPercentage
    ? null
    : compoundGrowthOf(cells, latest, yearBefore, column => columns.includes(column))
  const perYear =
    compound === null
      ? ''
      : `; CAGR ${shownChange(compound.percent)} over ${compound.years} years from ${labels[compound.column]}`
  return {
    path: sparkPath(values),
    text: growth.text,
    title: `Plot ${label}: ${growth.text} ${compared}${perYear}`,
  }
}

export function plottedColumns(columns, hasValue) {
  const first = columns.findIndex(hasValue)
  return first < 0 ? [] : columns.slice(first, columns.findLastIndex(hasValue) + 1)
}

export function barOf(cell, first, unit) {
  if (cell === null || cell.unit !== unit) return null
  const { value, title } = cell
  if (first === null || first.unit !== unit || first.value === value) return { value, title }
  const whole = title.includes(first.title) ? title : `${title}; first filed: ${first.title}`
  return { value, title: whole, ghost: first.value }
}
