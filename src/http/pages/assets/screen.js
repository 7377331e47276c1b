// Counts the ticked companies. The page works without it.
const fewest = 2
const most = 8
const picks = document.querySelector('.picks')
if (picks !== null) {
  const note = picks.querySelector('[data-picked]')
  const button = picks.querySelector('button')
  const boxes = [...picks.querySelectorAll('input[type="checkbox"]')]
  const count = () => {
    const ticked = boxes.filter(box => box.checked).length
    const isFit = ticked >= fewest && ticked <= most
    button.disabled = !isFit
    note.textContent =
      ticked === 0 ? 'Tick two to eight.' : `${ticked} ticked${isFit ? '' : '; tick two to eight'}.`
  }
  picks.addEventListener('change', count)
  // The browser restores ticks when it returns to the page.
  addEventListener('pageshow', count)
}
