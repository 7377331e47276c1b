// Makes a bar chart a single tab stop: arrow keys, Home and End move from category to category. Without scripts,
// every category is a tab stop.
{
  const readOutsOf = chart => [...chart.querySelectorAll('.read')]

  const makeCurrent = (readOuts, current) => {
    for (const readOut of readOuts) readOut.setAttribute('tabindex', readOut === current ? '0' : '-1')
  }

  const makeOneTabStop = chart => {
    const readOuts = readOutsOf(chart)
    if (readOuts.length > 0) makeCurrent(readOuts, readOuts.at(-1))
  }

  const targets = {
    ArrowLeft: at => at - 1,
    ArrowRight: at => at + 1,
    Home: () => 0,
    End: (_, last) => last,
  }

  document.addEventListener('keydown', event => {
    const chart = event.target.closest('.bar-chart')
    const target = targets[event.key]
    if (chart === null || target === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const readOuts = readOutsOf(chart)
    const next = readOuts[target(readOuts.indexOf(event.target), readOuts.length - 1)]
    event.preventDefault()
    if (next === undefined) return
    makeCurrent(readOuts, next)
    next.focus()
  })

  for (const chart of document.querySelectorAll('.bar-chart')) makeOneTabStop(chart)
}
