// The page works without this script. With it, settings apply immediately, files can be dropped, a run shows
// its progress, and a key can be pasted. The key is kept only in this variable, never in the page, its URL, a
// cookie or storage. It is sent in the Authorization header.
let key = ''
const page = /^\/backtest(\/runs\/[0-9a-f-]{36})?$/
const find = selector => document.querySelector(selector)

async function send(path, options = {}) {
  const headers = { Accept: 'text/html', ...options.headers }
  if (key !== '') headers.Authorization = `Bearer ${key}`
  return fetch(path, { ...options, headers })
}

const parse = text => new DOMParser().parseFromString(text, 'text/html')
const noAnswer = 'The server did not answer. Try again.'
const faultOf = answer => answer.querySelector('#fault p, .prose p, main p')?.textContent ?? noAnswer

/** Replaces a part of this page with the same part of a page in a response. */
function take(answer, selector) {
  const [from, to] = [answer.querySelector(selector), find(selector)]
  if (from !== null && to !== null) to.replaceWith(document.adoptNode(from))
}

// A report has no script of its own, so this page measures it to avoid a second scroll bar.
function fit(frame) {
  const resize = () => {
    // A frame never reports less than its current height, so a shorter report would leave a gap.
    frame.style.height = ''
    const root = frame.contentDocument?.documentElement
    if (root && root.scrollHeight > 200) frame.style.height = `${root.scrollHeight + 4}px`
  }
  frame.addEventListener('load', resize)
  if (frame.contentDocument?.readyState === 'complete') resize()
}

async function fillFrame(frame) {
  if (key === '') return fit(frame)
  const path = frame.getAttribute('src')
  frame.removeAttribute('src')
  fit(frame)
  const response = await send(path)
  frame.srcdoc = await response.text()
}

/** Opens a report that requires the key, which a link cannot send. The tab is opened before the request:
 * browsers block tabs that open later than the click. */
async function openReport(link) {
  const tab = window.open('about:blank', '_blank')
  const response = await send(link.getAttribute('href')).catch(() => null)
  if (!response?.ok) return tab?.close()
  const url = URL.createObjectURL(await response.blob())
  if (tab === null) location.assign(url)
  else tab.location.replace(url)
}

/** Downloads a file that requires the key. */
async function download(link) {
  const response = await send(link.getAttribute('href'), { headers: { Accept: '*/*' } })
  if (!response.ok) return
  const url = URL.createObjectURL(await response.blob())
  const hidden = document.createElement('a')
  hidden.href = url
  hidden.download = link.getAttribute('download') || 'report.html'
  hidden.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Shows another of these pages inside this one, so that the key is not lost. */
async function show(response, path) {
  const answer = parse(await response.text())
  document.title = answer.title
  take(answer, 'main')
  history.replaceState(null, '', path)
  start()
  find('main').focus()
}

function follow(response) {
  const { pathname } = new URL(response.url)
  if (key === '' || !page.test(pathname)) return location.assign(response.url)
  return show(response, pathname)
}

// Stored results: each choice is shown immediately.
async function choose(form) {
  const query = new URLSearchParams(new FormData(form)).toString()
  const focused = document.activeElement?.id ?? ''
  const path = `/backtest?${query}`
  const response = await send(path)
  if (!response.ok) return
  const answer = parse(await response.text())
  const frame = find('#stored iframe')
  const next = answer.querySelector('#stored iframe').getAttribute('src')
  // The frame is kept, or the page would jump while the next report loads.
  answer.querySelector('#stored iframe').replaceWith(document.adoptNode(frame))
  take(answer, '#stored')
  frame.src = next
  history.replaceState(null, '', path)
  startStored()
  document.getElementById(focused)?.focus()
}

function startStored() {
  const form = find('#choose')
  if (form === null) return
  form.addEventListener('change', () => choose(form))
  const frame = find('#stored iframe')
  if (frame !== null) fit(frame)
}

// The form that starts a run.
function startForm() {
  const form = find('#run')
  if (form === null) return
  for (const slider of form.querySelectorAll('input[data-moves]')) {
    const number = document.getElementById(slider.dataset.moves)
    slider.addEventListener('input', () => {
      number.value = slider.value
    })
    number.addEventListener('input', () => {
      slider.value = number.value
    })
  }
  const parts = () => {
    const chosen = new FormData(form)
    const shown = [chosen.get('rows'), chosen.get('run')]
    for (const part of form.querySelectorAll('[data-for]')) part.hidden = !shown.includes(part.dataset.for)
    form.querySelector('[value="check"]').hidden = chosen.get('rows') !== 'file'
  }
  form.addEventListener('change', parts)
  parts()
  dropInto(form, parts)
  form.addEventListener('submit', event => {
    event.preventDefault()
    submit(form, event.submitter)
  })
  const field = find('#fault')?.dataset.field
  if (field !== undefined) document.getElementById(`f-${field}`)?.focus()
}

function dropInto(form, changed) {
  const file = find('#f-file')
  const drop = find('#drop')
  addEventListener('dragover', event => {
    event.preventDefault()
    drop.classList.add('over')
  })
  addEventListener('dragleave', () => drop.classList.remove('over'))
  addEventListener('drop', event => {
    event.preventDefault()
    drop.classList.remove('over')
    if (event.dataTransfer.files.length === 0) return
    file.files = event.dataTransfer.files
    file.dispatchEvent(new Event('change', { bubbles: true }))
  })
  file.addEventListener('change', () => {
    if (file.files.length === 0) return
    form.querySelector('[name="rows"][value="file"]').checked = true
    changed()
    submit(form, form.querySelector('[value="check"]'))
  })
}

let isSending = false

/** Sends the form. Errors, and the first rows of a file, are shown without leaving the page, so the chosen
 * file stays selected. */
async function submit(form, button) {
  if (isSending) return
  isSending = true
  const buttons = [...form.querySelectorAll('button')]
  const fields = new FormData(form)
  fields.set('do', button?.value ?? 'run')
  for (const other of buttons) other.disabled = true
  try {
    const response = await send('/backtest', { method: 'POST', body: fields })
    if (response.ok && response.redirected) return await follow(response)
    const answer = parse(await response.text())
    for (const old of form.querySelectorAll('.faulty')) old.classList.remove('faulty')
    for (const old of form.querySelectorAll('[aria-invalid]')) old.removeAttribute('aria-invalid')
    if (answer.querySelector('#fault') === null) showFault(faultOf(answer))
    else {
      take(answer, '#fault')
      take(answer, '#preview')
    }
    const name = find('#fault').dataset.field
    const field = name === undefined ? null : document.getElementById(`f-${name}`)
    field?.setAttribute('aria-invalid', 'true')
    field?.closest('.setting')?.classList.add('faulty')
    const shown = find('#fault').textContent === '' ? find('#preview') : find('#fault')
    shown.scrollIntoView({ block: 'nearest' })
  } catch {
    showFault(noAnswer)
  } finally {
    isSending = false
    for (const other of buttons) other.disabled = false
  }
}

function faultLine(text) {
  const line = document.createElement('p')
  line.className = 'notice bad'
  line.textContent = text
  return line
}

const showFault = text => find('#fault').replaceChildren(faultLine(text))

// Pasting a key.
function startKey() {
  const form = find('#key-form')
  if (form === null) return
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const field = find('#pasted-key')
    key = field.value.trim()
    if (!/^asf_[\x21-\x7e]+$/.test(key)) {
      key = ''
      find('#key-fault').textContent = 'That is no key of this service: they begin with asf_.'
      return
    }
    const response = await send(location.pathname).catch(() => null)
    if (response?.ok) {
      field.value = ''
      return show(response, location.pathname)
    }
    key = ''
    find('#key-fault').textContent = response === null ? noAnswer : faultOf(parse(await response.text()))
  })
}

// A run: its progress arrives as events. When it ends, the page is loaded again.
const maxAttempts = 20

async function watch(id, attempt = 0) {
  const path = `/backtest/runs/${id}`
  try {
    const response = await send(`${path}/events`, { headers: { Accept: 'text/event-stream' } })
    if (!response.ok) throw new Error('no events')
    let rest = ''
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const events = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = events.pop()
      for (const event of events) if (showProgress(event)) return await show(await send(path), path)
    }
  } catch {}
  if (attempt < maxAttempts && find(`[data-run="${id}"]`) !== null)
    setTimeout(() => watch(id, attempt + 1), Math.min(30_000, 2_000 * (attempt + 1)))
}

/** Returns whether the run has ended. */
function showProgress(event) {
  const data = /^data: (.*)$/m.exec(event)?.[1]
  if (data === undefined) return false
  const { state, progress } = JSON.parse(data)
  if (state !== 'queued' && state !== 'running') return true
  const bar = find('#run-progress')
  const { done, total } = progress
  const isFinishing = state === 'running' && total > 1 && done === total
  if (isFinishing) bar?.removeAttribute('value')
  else if (bar !== null && total !== null) {
    bar.max = total
    bar.value = done
  }
  const text = find('#run-state')
  if (text !== null && state === 'running' && total > 1)
    text.textContent = isFinishing
      ? `All ${total} configurations have run. Computing the statistics of the best one.`
      : `It is running: ${done} of ${total} configurations.`
  return false
}

function startRun() {
  const run = find('[data-run]')
  if (run === null) return
  const { state, run: id } = run.dataset
  for (const frame of run.querySelectorAll('iframe')) fillFrame(frame)
  if (key !== '')
    for (const link of run.querySelectorAll('.downloads a:not([href="/backtest"])'))
      link.addEventListener('click', event => {
        event.preventDefault()
        if (link.hasAttribute('download')) download(link)
        else openReport(link)
      })
  startSharing(`/backtest/runs/${id}`)
  find('#run-page form[action$="/cancel"]')?.addEventListener('submit', async event => {
    event.preventDefault()
    const response = await send(`/backtest/runs/${id}/cancel`, {
      method: 'POST',
      body: new URLSearchParams(),
    })
    if (response.ok) await show(response, `/backtest/runs/${id}`)
  })
  if (state === 'queued' || state === 'running') watch(id)
}

// Public addresses of the report are made, copied and revoked without loading the report again.
function startSharing(path) {
  for (const form of document.querySelectorAll('#shares form'))
    form.addEventListener('submit', async event => {
      event.preventDefault()
      const body = new URLSearchParams(new FormData(form))
      for (const button of form.querySelectorAll('button')) button.disabled = true
      const response = await send(path, { method: 'POST', body }).catch(() => null)
      const answer = response === null ? null : parse(await response.text())
      if (answer?.querySelector('#shares') != null) take(answer, '#shares')
      else find('#shares').append(faultLine(answer === null ? noAnswer : faultOf(answer)))
      startSharing(path)
      const shown = find('#public-address') ?? find('#shares-title')
      shown.focus()
      if (shown.matches('input')) shown.select()
    })
  const copy = find('#shares button[data-copy]')
  copy?.addEventListener('click', async () => {
    const field = document.getElementById(copy.dataset.copy)
    field.select()
    const isCopied = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    )
    find('#copied').textContent = isCopied ? 'Copied.' : 'Press Ctrl-C or Command-C to copy.'
  })
}

// Links between these pages must not lose the key.
addEventListener('click', async event => {
  const link = event.target.closest?.('a[href^="/backtest"]')
  if (key === '' || !link || link.hasAttribute('download') || event.defaultPrevented) return
  const path = link.getAttribute('href')
  if (!page.test(path) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const response = await send(path)
  if (response.ok) await show(response, path)
})

function start() {
  startStored()
  startForm()
  startKey()
  startRun()
}
start()
