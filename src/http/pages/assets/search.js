// Shows results as the visitor types, below each search field, whose form also works without this script. A
// combobox by the ARIA pattern: arrows, Enter, Escape.
function suggest(field, list) {
  let pending = null
  let timer = 0
  let active = -1

  function close() {
    list.hidden = true
    active = -1
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
  }

  function show(hits) {
    list.replaceChildren(
      ...hits.map((hit, place) => {
        const item = document.createElement('li')
        item.id = `${list.id}-${place}`
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', 'false')
        item.dataset.path = `/companies/${encodeURIComponent(hit.ticker)}`
        const name = document.createElement('strong')
        name.textContent = hit.name ?? hit.ticker
        const id = document.createElement('span')
        id.textContent = `${hit.ticker}, ${hit.market}`
        item.append(name, id)
        item.addEventListener('click', () => location.assign(item.dataset.path))
        return item
      }),
    )
    active = -1
    list.hidden = hits.length === 0
    field.setAttribute('aria-expanded', String(hits.length > 0))
    field.removeAttribute('aria-activedescendant')
  }

  async function search() {
    const q = field.value.trim()
    pending?.abort()
    if (q === '') return close()
    pending = new AbortController()
    try {
      const response = await fetch(`/api/search?q=${encodeURIComponent(q)}`, { signal: pending.signal })
      // Over the rate limit, or the server is unreachable: the form still works.
      if (!response.ok) return close()
      const { results } = await response.json()
      // The visitor may have moved on while the answer was on its way.
      if (document.activeElement === field) show(results)
    } catch {}
  }

  function move(by) {
    const items = [...list.children]
    if (list.hidden || items.length === 0) return
    items[active]?.setAttribute('aria-selected', 'false')
    active = (active + by + items.length) % items.length
    items[active].setAttribute('aria-selected', 'true')
    field.setAttribute('aria-activedescendant', items[active].id)
  }

  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  field.setAttribute('aria-expanded', 'false')
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Companies')
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, 120)
  })
  field.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1)
    } else if (event.key === 'Escape') {
      clearTimeout(timer)
      pending?.abort()
      close()
    } else if (event.key === 'Enter' && active >= 0 && !list.hidden) {
      event.preventDefault()
      location.assign(list.children[active].dataset.path)
    }
  })
  field.addEventListener('blur', () => setTimeout(close, 200))
}

for (const [place, form] of document.querySelectorAll('form[role="search"]').entries()) {
  const list = form.querySelector('.hits')
  list.id = `hits-${place}`
  suggest(form.querySelector('input[name="q"]'), list)
}

const typing =
  'input:not([type="button"], [type="checkbox"], [type="radio"], [type="range"], [type="submit"]), textarea, select, [contenteditable="true"]'
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.target instanceof Element && event.target.closest(typing) !== null) return
  const field = document.querySelector('.site-search input')
  event.preventDefault()
  field.focus()
  field.select()
})
