// The lines of "Use this data" can be selected without this script. It adds buttons that copy them, and keeps the lines and
// the downloads on the day of the page's address, which the slider changes without loading the page again.
const panel = document.querySelector('#use')

function addButtons() {
  const { server } = panel.dataset
  for (const block of panel.querySelectorAll('dl > div')) {
    const code = block.querySelector('code')
    // Whoever reads this page reaches the server under this address; its own name may be one of another network.
    if (server !== location.origin) code.textContent = code.textContent.replaceAll(server, location.origin)
    const name = block.querySelector('dt')
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy ${name.textContent}`)
    const said = document.createElement('small')
    said.setAttribute('role', 'status')
    button.addEventListener('click', async () => {
      await refresh()
      // A refresh replaces the lines, and with them this button.
      const shown = panel.contains(code) ? code : blockNamed(name.firstChild.textContent)
      try {
        await navigator.clipboard.writeText(shown.textContent)
        said.textContent = ' Copied.'
      } catch {
        getSelection().selectAllChildren(shown)
        said.textContent = ' Press Ctrl-C or Command-C to copy.'
      }
    })
    name.append(button, said)
  }
}

function blockNamed(name) {
  const blocks = [...panel.querySelectorAll('dl > div')]
  return blocks.find(block => block.querySelector('dt').firstChild.textContent === name).querySelector('code')
}

let current = location.search
let running = null

function refresh() {
  if (!panel.open || location.search === current) return
  running ??= load().finally(() => {
    running = null
  })
  return running
}

async function load() {
  while (current !== location.search) {
    const asked = location.search
    const response = await fetch(location.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.querySelector('#use')
    // Over the rate limit, or an error: the page of that address says so.
    if (found === null) return location.reload()
    current = asked
    panel.replaceChildren(...found.childNodes)
    addButtons()
  }
}

// The rows of a download are those of the day that the page shows.
function moveDownloads() {
  const day = new URLSearchParams(location.search).get('as_of')
  for (const link of document.querySelectorAll('#download a[download]')) {
    const url = new URL(link.href)
    if (day === null) url.searchParams.delete('as_of')
    else url.searchParams.set('as_of', day)
    if (url.href !== link.href) link.href = url.href
  }
}

/** A link to the panel opens it. */
function openIfLinked() {
  if (location.hash === '#use') panel.open = true
}

if (panel !== null) {
  addButtons()
  openIfLinked()
  addEventListener('hashchange', openIfLinked)
  for (const event of ['toggle', 'pointerenter', 'focusin']) panel.addEventListener(event, refresh)
  // Browsers without the Navigation API refresh when the pointer or the focus reaches the panel or a link.
  globalThis.navigation?.addEventListener('currententrychange', () => {
    moveDownloads()
    refresh()
  })
  for (const event of ['pointerover', 'focusin']) document.addEventListener(event, moveDownloads)
}
