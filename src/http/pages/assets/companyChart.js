// Redraws the chart and the sparklines while company.js moves the day, and plots another line without leaving the page.
// Without scripts, the day and the line are forms and links. The block keeps the names from the other scripts of the page.
{
  const svgNamespace = 'http://www.w3.org/2000/svg'
  const section = document.querySelector('#chart')
  const states = JSON.parse(document.querySelector('#states')?.textContent ?? 'null')
  const trendsOf = from => JSON.parse(from.querySelector('#trends')?.textContent ?? 'null')
  let trends = trendsOf(document)
  let shownStop = null

  const element = (name, attributes, ...children) => {
    const made = document.createElementNS(svgNamespace, name)
    for (const attribute of Object.keys(attributes)) made.setAttribute(attribute, attributes[attribute])
    made.append(...children)
    return made
  }

  const text = (name, content) => {
    const made = document.createElement(name)
    made.textContent = content
    return made
  }

  const narrow = matchMedia('(max-width: 40rem)')
  const isWanted = svg => svg.classList.contains('narrow') === narrow.matches

  /** What each cell of a row shows at a stop, or null. */
  const cellsAt = (row, stop) => {
    const { unit } = trends.rows[row]
    return states.rows[row].map((ofCell, column) => {
      const index = ofCell.findIndex(([from, until]) => from <= stop && stop < until)
      if (index < 0) return null
      const [, , , , title, value, , behind = 0] = ofCell[index]
      return { value, title, behind, unit: typeof unit === 'string' ? unit : unit[column][index] }
    })
  }

  const isShown = (column, stop) =>
    states.rows.some(row => row[column].some(([from, until]) => from <= stop && stop < until))

  const links = [...document.querySelectorAll('.statement tbody tr')].map(row => row.querySelector('.trend'))

  const drawTrends = (rules, { stop, columns, changed }) => {
    trends.rows.forEach((row, index) => {
      const link = links[index]
      if (link === null || !changed.has(index)) return
      const { path, text, title } = rules.trendOf(cellsAt(index, stop), columns, { ...trends, ...row })
      const line = link.querySelector('path')
      if (line.getAttribute('d') !== path) line.setAttribute('d', path)
      if (link.title === title) return
      const growth = link.querySelector('span').firstChild
      if (growth.data !== text) growth.data = text
      link.title = title
      link.setAttribute('aria-label', title)
    })
  }

  /** What a read-out says. Its box is made when it is needed: laying out all of them would take most of a frame. */
  const tips = new WeakMap()

  const makeTip = ({ target }) => {
    const readOut = target instanceof Element ? target.closest('.read') : null
    const tip = tips.get(readOut)
    if (tip === undefined) return
    tips.delete(readOut)
    const { category, lines, box } = tip
    const content = document.createElement('div')
    content.className = 'tip'
    content.append(text('b', category))
    for (const { name, title } of lines) {
      const line = document.createElement('span')
      line.append(text('i', name), ` ${title}`)
      content.append(line)
    }
    if (lines.length === 0) content.append(text('span', 'no value'))
    readOut.append(element('foreignObject', { ...box, 'aria-hidden': 'true' }, content))
  }

  /**
   * Gives an element these children, as [name, attributes, text], and reuses those that it has: new nodes would cost a
   * frame of the slider as much as everything else.
   */
  const setChildren = (parent, wanted) => {
    wanted.forEach(([name, attributes, content], at) => {
      const found = parent.children[at]
      const child = found?.localName === name ? found : element(name, {})
      for (const attribute of Object.keys(attributes)) {
        const value = String(attributes[attribute])
        if (child.getAttribute(attribute) !== value) child.setAttribute(attribute, value)
      }
      for (const { name: attribute } of [...child.attributes])
        if (!Object.hasOwn(attributes, attribute)) child.removeAttribute(attribute)
      if (content !== undefined && child.textContent !== content) child.textContent = content
      if (found === undefined) parent.append(child)
      else if (found !== child) found.replaceWith(child)
    })
    while (parent.children.length > wanted.length) parent.lastElementChild.remove()
  }

  const drawReadOuts = (parent, { slots, top, bottom }, categories, series) => {
    const height = bottom - top
    const said = slots.map((_, index) =>
      series.flatMap(({ name, bars }) => (bars[index] === null ? [] : [{ name, title: bars[index].title }])),
    )
    setChildren(
      parent,
      said.map((lines, index) => {
        const spoken = lines.map(({ name, title }) => `${name}: ${title}`).join('; ')
        return [
          'g',
          {
            class: 'read',
            tabindex: index === slots.length - 1 ? '0' : '-1',
            role: 'img',
            'aria-label': `${categories[index]}: ${spoken === '' ? 'no value' : spoken}`,
          },
        ]
      }),
    )
    slots.forEach((slot, index) => {
      const made = parent.children[index]
      setChildren(made, [['rect', { x: slot.left, y: top, width: slot.width, height }]])
      const box = { ...slot.tip, y: top, height }
      tips.set(made, { category: categories[index], lines: said[index], box })
    })
  }

  const rect = ({ x, y, width, height }, attributes = {}) => ['rect', { ...attributes, x, y, width, height }]

  const drawChart = (svg, layout, categories, series) => {
    const { left, right, bottom, zero, ticks, slots } = layout
    setChildren(svg.querySelector('.axis'), [
      ...ticks.flatMap(({ y, text }) => [
        ['line', { x1: left, x2: right, y1: y, y2: y }],
        ['text', { class: 'y', x: left - 6, y, dy: '.32em' }, text],
      ]),
      ...slots
        .filter(({ label }) => label !== '')
        .map(({ middle, label }) => ['text', { class: 'x', x: middle, y: bottom + 18 }, label]),
    ])
    series.forEach((_, number) => {
      const bars = slots.flatMap(({ bars }) => (bars[number] === null ? [] : [rect(bars[number])]))
      setChildren(svg.querySelector(`.bar-${number}`), bars)
    })
    const ghosts = slots.flatMap(({ bars }) =>
      bars.map(bar => bar?.ghost ?? null).filter(ghost => ghost !== null),
    )
    setChildren(
      svg.querySelector('.ghosts'),
      ghosts.map(ghost => rect(ghost, { class: 'ghost' })),
    )
    const base = svg.querySelector('.base')
    for (const [name, value] of [
      ['x1', left],
      ['x2', right],
      ['y1', zero],
      ['y2', zero],
    ])
      base.setAttribute(name, value)
    drawReadOuts(svg.querySelector('.readouts'), layout, categories, series)
  }

  const drawBars = ({ barOf, plottedColumns, layOutBars }, { stop, columns }) => {
    const { rows, first, axes } = trends.plot
    const { unit, words, axis } = axes.findLast(({ from }) => from <= stop) ?? axes[0]
    const bars = rows.map((row, at) =>
      cellsAt(row, stop).map((cell, column) => {
        const filed = first[at][column]
        return barOf(cell, filed !== null && stop < filed.until ? filed : null, unit)
      }),
    )
    const plotted = plottedColumns(columns, column => bars.some(own => own[column] !== null))
    const categories = plotted.map(column => trends.labels[column])
    const series = rows.map((row, at) => ({
      name: trends.rows[row].label,
      bars: plotted.map(column => bars[at][column]),
    }))
    section.querySelector('h2 small').textContent = words
    for (const dated of section.querySelectorAll('[data-from]')) {
      dated.hidden = Number(dated.dataset.from) > stop
      if ('disabled' in dated) dated.disabled = dated.hidden
    }
    section.querySelector('.no-bars').hidden = plotted.length > 0
    for (const svg of section.querySelectorAll('.bar-chart')) {
      if (!isWanted(svg)) continue
      const { width, height } = svg.viewBox.baseVal
      const chart = { labels: categories, series: series.map(own => own.bars), isStacked: false, axis }
      drawChart(svg, layOutBars(chart, { width, height }), categories, series)
    }
  }

  const start = async () => {
    const [geometry, figures] = await Promise.all([
      import('/assets/barGeometry.js'),
      import('/assets/trends.js'),
    ])
    const rules = { ...geometry, ...figures }
    const allRows = new Set(trends.rows.keys())
    let areDrawn = false
    const draw = (stop, changed) => {
      // The tables have the latest period first.
      const columns = states.keys.flatMap((_, column) => (isShown(column, stop) ? [column] : [])).reverse()
      const shown = { stop, columns, changed: areDrawn ? changed : allRows }
      areDrawn = true
      drawTrends(rules, shown)
      if (trends.plot !== null && section !== null) drawBars(rules, shown)
    }
    document.addEventListener('asfiled:day', ({ detail }) => {
      shownStop = detail.stop
      draw(shownStop, detail.changed)
    })
    // The picture of the other size is still that of the day on which the page was loaded.
    narrow.addEventListener('change', () => {
      if (shownStop !== null) draw(shownStop, allRows)
    })
  }

  if (states !== null && trends !== null) {
    start()
    section?.addEventListener('pointerover', makeTip)
    section?.addEventListener('focusin', makeTip)
  }

  const lineOf = address => new URL(address).searchParams.get('plot') ?? ''
  let plotted = lineOf(location.href)

  const plot = async address => {
    const response = await fetch(address)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.querySelector('#chart')
    // Over the rate limit, or an error: the page of that address says so.
    if (found === null) return location.assign(address)
    section.replaceChildren(...found.childNodes)
    trends = trendsOf(page)
    for (const svg of section.querySelectorAll('.bar-chart'))
      for (const [at, readOut] of [...svg.querySelectorAll('.read')].reverse().entries())
        readOut.setAttribute('tabindex', at === 0 ? '0' : '-1')
    plotted = lineOf(address)
    section.scrollIntoView({ block: 'nearest' })
  }

  /** Back leads to the line that was plotted before. */
  const choose = async address => {
    if (lineOf(address) === plotted) return
    await plot(address)
    history.pushState({ kind: 'plot' }, '', address)
  }

  addEventListener('popstate', () => {
    if (section !== null && lineOf(location.href) !== plotted) plot(location.href)
  })

  /** The address of the page on the day shown, with another line. */
  const withLine = line => {
    const address = new URL(location.href)
    if (line === '') address.searchParams.delete('plot')
    else address.searchParams.set('plot', line)
    address.searchParams.delete('cell')
    address.hash = ''
    return address
  }

  document.addEventListener('change', async event => {
    if (event.target.id !== 'plot') return
    await choose(withLine(event.target.value))
    section.querySelector('#plot').focus()
  })

  document.addEventListener('click', async event => {
    const link = event.target.closest('a.trend')
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (link === null || !isPlain || section === null) return
    event.preventDefault()
    await choose(withLine(link.closest('tr').dataset.m))
    section.querySelector('h2').focus({ preventScroll: true })
  })
}
