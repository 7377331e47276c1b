// The page works without this script. With it, a report has no scroll bar of its own, and the page of a running audit
// shows the report as soon as it is done.

// A report has no script of its own, so this page measures it.
function fit(frame) {
  const resize = () => {
    // A frame never reports less than its current height, so a shorter report would leave a gap.
    frame.style.height = ''
    const root = frame.contentDocument?.documentElement
    if (root && root.scrollHeight > 200) frame.style.height = `${root.scrollHeight + 4}px`
  }
  const watch = () => {
    resize()
    // A table that unfolds makes the report longer.
    for (const part of frame.contentDocument?.querySelectorAll('details') ?? [])
      part.addEventListener('toggle', resize)
  }
  frame.addEventListener('load', watch)
  addEventListener('resize', resize)
  if (frame.contentDocument?.readyState === 'complete') watch()
}

for (const frame of document.querySelectorAll('iframe.report')) fit(frame)

const running = document.querySelector('#run-page[data-state="queued"], #run-page[data-state="running"]')

async function follow(waitMs) {
  await new Promise(resolve => setTimeout(resolve, waitMs))
  const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } }).catch(() => null)
  const answer = response?.ok
    ? new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#run-page')
    : null
  if (answer !== null && answer.dataset.state !== 'queued' && answer.dataset.state !== 'running')
    return location.reload()
  // An audit of hours is not asked about every second, and neither is a server that does not answer.
  return follow(Math.min(15_000, waitMs * 1.2))
}

if (running !== null) follow(1_000)
