// The pages work without this script. It adds a button that copies a new key.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
  const said = document.querySelector(`[data-copied="${button.dataset.copy}"]`)
  button.hidden = false
  button.addEventListener('click', async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(field.value)
      said.textContent = 'Copied.'
    } catch {
      said.textContent = 'Press Ctrl-C or Command-C to copy.'
    }
  })
}

// Otherwise a second click on a slow connection would send the form twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  let isSent = false
  form.addEventListener('submit', event => {
    if (isSent) event.preventDefault()
    isSent = true
  })
}
// A page restored from the browser's back/forward cache may send its forms again.
addEventListener('pageshow', event => {
  if (event.persisted) location.reload()
})
