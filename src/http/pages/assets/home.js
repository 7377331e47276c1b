// Drags the day of the picture. Without this its days are links.
const slider = document.querySelector('#time')
const picture = document.querySelector('.picture svg')
if (slider !== null && picture !== null) {
  const data = JSON.parse(document.querySelector('#known').textContent)
  const first = Date.parse(picture.dataset.first)
  const days = Number(picture.dataset.days)
  const dayMs = 86_400_000
  const marker = document.querySelector('#marker')
  const output = document.querySelector('#known-day')
  const show = () => {
    const day = new Date(first + slider.valueAsNumber * dayMs).toISOString().slice(0, 10)
    const x = Number(picture.dataset.left) + (slider.valueAsNumber / days) * Number(picture.dataset.width)
    marker.setAttribute('x1', x)
    marker.setAttribute('x2', x)
    output.textContent = day
    slider.setAttribute('aria-valuetext', day)
    for (const { fy, steps } of data.years) {
      const cell = document.querySelector(`.picture td[data-fy="${fy}"]`)
      const step = steps.findLast(([filed]) => filed <= day)
      const text = step === undefined ? 'not yet filed' : step[1]
      if (cell.textContent !== text) {
        cell.textContent = text
        cell.title = step === undefined ? '' : step[2]
      }
    }
  }
  slider.max = days
  slider.value = Math.round((Date.parse(data.on) - first) / dayMs)
  show()
  slider.addEventListener('input', show)
}
