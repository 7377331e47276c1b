// Hides the rows of a table that do not contain what is typed.
for (const field of document.querySelectorAll('input[data-filters]')) {
  const rows = [...document.querySelectorAll(`#${field.dataset.filters} tbody tr`)]
  const texts = rows.map(row => row.textContent.toLowerCase())
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/)
    rows.forEach((row, place) => {
      row.hidden = !words.every(word => texts[place].includes(word))
    })
  })
  field.form.addEventListener('submit', event => {
    if (document.activeElement === field) event.preventDefault()
  })
}
