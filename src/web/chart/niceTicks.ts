/** Round values from `least` to `most`, about `wanted` of them, 1, 2 or 5 times a power of ten apart. */
export function niceTicks(least: number, most: number, wanted: number): number[] {
  const span = most - least
  if (!(span > 0)) return [least]
  const rough = span / Math.max(1, wanted)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find(factor => factor * power >= rough * 0.999) ?? 10)
  const ticks: number[] = []
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most + step * 1e-9; i++) ticks.push(i * step)
  return ticks
}

/** 1, 2 and 5 times the powers of ten in a range above 0; only the powers where that would be many. */
export function logTicks(least: number, most: number, wanted: number): number[] {
  const first = Math.floor(Math.log10(least))
  const last = Math.ceil(Math.log10(most))
  const every = Math.max(1, Math.ceil((last - first) / wanted))
  const factors = (last - first) * 3 <= wanted * 2 ? [1, 2, 5] : [1]
  const ticks: number[] = []
  for (let power = first; power <= last; power += every) {
    for (const factor of factors) {
      const value = factor * 10 ** power
      if (value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9)) ticks.push(value)
    }
  }
  return ticks
}
