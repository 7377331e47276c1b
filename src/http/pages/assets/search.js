// Hits as one types, next to the form that works without this. A combobox by the ARIA pattern: arrows, Enter, Escape.
const field = document.querySelector('#q')
const list = document.querySelector('#hits')
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
      item.id = `hit-${place}`
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
    // Over the limit, or the server is away: the form still works.
    if (response.ok) show((await response.json()).results)
    else close()
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

if (field !== null && list !== null) {
  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', 'hits')
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
    } else if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && active >= 0 && !list.hidden) {
      event.preventDefault()
      location.assign(list.children[active].dataset.path)
    }
  })
  field.addEventListener('blur', () => setTimeout(close, 200))
}
