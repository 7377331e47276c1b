// Where a bar chart draws its axis, labels and bars. The server uses it for the picture, and the script of a page to
// redraw the picture, so both agree by construction.

const tickCharacter = 7.2
const labelCharacter = 7
const labelMargin = 10
const widestBar = 44

/** Rounded to a tenth of a pixel. */
const tenth = pixels => Math.round(pixels * 10) / 10

export function layOutBars({ labels, series, isStacked, axis }, { width, height }) {
  const longest = Math.max(0, ...axis.ticks.map(({ text }) => text.length))
  const plot = { left: tenth(14 + longest * tickCharacter), right: width - 6, top: 12, bottom: height - 26 }
  const scale = (plot.bottom - plot.top) / (axis.high - axis.low)
  const y = value => plot.bottom - (value - axis.low) * scale
  const tipWidth = width < 600 ? 230 : 300
  const slot = (plot.right - plot.left) / Math.max(1, labels.length)
  const across = isStacked ? 1 : Math.max(1, series.length)
  const bar = Math.min(widestBar, (slot * 0.76) / across)
  const longestLabel = Math.max(0, ...labels.map(label => label.length)) * labelCharacter + labelMargin
  // Counted from the end, so that the latest bar always has a label.
  const every = Math.max(1, Math.ceil(longestLabel / slot))
  const rect = (x, from, to) => ({
    x: tenth(x),
    y: tenth(Math.min(y(from), y(to))),
    width: tenth(bar),
    height: tenth(Math.abs(y(from) - y(to))),
  })
  const slots = labels.map((label, index) => {
    const left = plot.left + index * slot
    const middle = left + slot / 2
    let above = 0
    let below = 0
    const bars = series.map((values, number) => {
      const { value, ghost } = values[index] ?? {}
      if (value === undefined) return null
      const base = isStacked ? (value < 0 ? below : above) : 0
      if (value < 0) below += value
      else above += value
      const x = middle - (across * bar) / 2 + (isStacked ? 0 : number * bar)
      return {
        ...rect(x, base, base + value),
        ghost: ghost === undefined || ghost === value ? null : rect(x, base, base + ghost),
      }
    })
    const isLabelled = (labels.length - 1 - index) % every === 0
    // The exact values stand beside the bars of the category where there is room.
    const isInLeftHalf = middle < (plot.left + plot.right) / 2
    const tip = isInLeftHalf
      ? Math.min(left + slot, plot.right - tipWidth)
      : Math.max(plot.left, left - tipWidth)
    return {
      left: tenth(left),
      width: tenth(slot),
      middle: tenth(middle),
      label: isLabelled ? label : '',
      tip: { x: tenth(tip), width: tipWidth },
      bars,
    }
  })
  const ticks = axis.ticks.map(({ value, text }) => ({ y: tenth(y(value)), text }))
  return { ...plot, zero: tenth(y(0)), ticks, slots }
}
