import type { Columns } from '../../src/backtest/dataset/dataset.ts'

/** A deterministic panel like that of gen_panel.py, for machines without it: scores follow an AR(1) process with coefficient
 * 0.95, returns depend slightly on the score, and there are four markets. */
export function makePanel(dates: number, assets: number): Columns {
  const normal = normals(20_240_229)
  const count = dates * assets
  const columns = {
    count,
    day: new Int32Array(count),
    asset: new Int32Array(count),
    market: new Uint16Array(count),
    score: new Float64Array(count),
    forwardReturn: new Float64Array(count),
    assetNames: Array.from({ length: assets }, (_, i) => `A${String(i).padStart(5, '0')}`),
    marketNames: ['M0', 'M1', 'M2', 'M3'],
  }
  const score = Float64Array.from({ length: assets }, normal)
  for (let t = 0, row = 0; t < dates; t++) {
    const day = 16_072 + 7 * Math.floor(t / 5) + (t % 5) // Monday to Friday
    const common = 0.0003 + 0.009 * normal()
    for (let i = 0; i < assets; i++, row++) {
      score[i] = 0.95 * score[i] + Math.sqrt(1 - 0.95 ** 2) * normal()
      columns.day[row] = day
      columns.asset[row] = i
      columns.market[row] = Math.floor((4 * i) / assets)
      columns.score[row] = score[i]
      columns.forwardReturn[row] = Math.max(common + 0.02 * (0.02 * score[i] + normal()), -0.9)
    }
  }
  return columns
}

function normals(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}
