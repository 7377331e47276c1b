import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readBody } from '../../../src/backtest/codec/body.ts'
import type { Dataset } from '../../../src/backtest/dataset/dataset.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { findPython, runPython } from '../../python.ts'
import { type FactorRow, randomPanel } from './randomPanel.ts'

registerFormats()
const folder = mkdtempSync(join(tmpdir(), 'neutralise-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ownColumns = ['beta', 'size', 'twin']

/** The rows without the columns that the configuration does not name. */
function neutralised(panel: readonly object[], config: BacktestConfig): Dataset {
  const named = config.neutralise?.columns ?? []
  const rows = panel.map(row =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !ownColumns.includes(name) || named.includes(name)),
    ),
  )
  const body = new TextEncoder().encode(JSON.stringify({ config, panel: rows }))
  const parsed = readBody(body)
  if (parsed.panel === null) throw new Error('the body has rows')
  return selectPanelData(buildPanelDataset(parsed.panel), config).data
}

/** Residuals of numpy's least squares by singular values, date by date: dummies of the combinations and the columns. */
const loop = `
import json, sys
import numpy as np
rows, demean, columns = json.load(open(sys.argv[1]))
out = []
for date in sorted({r["date"] for r in rows}):
    used = [r for r in sorted((r for r in rows if r["date"] == date), key=lambda r: r["asset"])
            if r["score"] is not None and all(r[c] is not None for c in demean + columns)]
    cells = sorted({tuple(r[c] for c in demean) for r in used})
    x = np.array([[float(tuple(r[c] for c in demean) == cell) for cell in cells] + [r[c] for c in columns] for r in used])
    y = np.array([r["score"] for r in used])
    if len(used) == 0: continue
    # Scaled, so that the rank is that of the columns rather than of their units.
    rank = np.linalg.matrix_rank(x / np.abs(x).max(axis=0), tol=1e-8)
    if len(used) <= rank: continue
    e = y - x @ np.linalg.lstsq(x, y, rcond=1e-12)[0]
    out += [[date, r["asset"], v] for r, v in zip(used, e)]
json.dump(out, sys.stdout)
`

const python = findPython('numpy')
const choices: BacktestConfig['neutralise'][] = [
  { demean: ['market'] },
  { demean: ['group'] },
  { demean: ['market', 'group'] },
  { columns: ['beta'] },
  { columns: ['beta', 'size'] },
  { columns: ['beta', 'size', 'twin'] },
  { demean: ['group'], columns: ['beta', 'size'] },
]

for (const neutralise of choices.flatMap(choice => choice ?? [])) {
  test.skipIf(python === null)(
    `scores are the residuals of a plain loop of numpy: ${JSON.stringify(neutralise)}`,
    () => {
      const panel = randomPanel(7)
      const file = join(folder, 'rows.json')
      writeFileSync(file, JSON.stringify([panel, neutralise.demean ?? [], neutralise.columns ?? []]))
      const truth: [string, string, number][] = JSON.parse(
        runPython(python ?? '', folder, ['-c', loop, file]),
      )
      const expected = new Map(truth.map(([date, asset, value]) => [`${date} ${asset}`, value]))
      expect(expected.size).toBeGreaterThan(800)
      const data = neutralised(panel, { neutralise })
      const names = [...new Set(panel.map(({ asset }) => asset))].sort()
      const dates = [...new Set(panel.map(({ date }) => date))].sort()
      let found = 0
      dates.forEach((date, t) => {
        for (let row = data.offsets[t]; row < data.offsets[t + 1]; row++) {
          const value = expected.get(`${date} ${names[data.asset[row]]}`)
          expect([date, Number.isNaN(data.score[row])]).toEqual([date, value === undefined])
          if (value === undefined) continue
          expect(Math.abs(data.score[row] - value)).toBeLessThan(1e-10)
          found++
        }
      })
      expect(found).toBe(expected.size)
    },
  )
}

test('residuals do not move if a multiple of what is taken out is added to the scores', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), seed => {
      const panel = randomPanel(seed, 4, 25)
      const config = { neutralise: { demean: ['group' as const], columns: ['beta', 'size'] } }
      const data = neutralised(panel, config)
      const moved = panel.map(row => ({
        ...row,
        score:
          row.score === null || row.beta === null || row.size === null
            ? row.score
            : row.score + 3 * row.beta - row.size,
      }))
      const again = neutralised(moved, config)
      const moves = Array.from(data.score, (a, row) => Math.abs(a - again.score[row]))
      expect(moves.every(move => Number.isNaN(move) || move < 1e-9)).toBe(true)
      expect([...again.score].map(Number.isNaN)).toEqual([...data.score].map(Number.isNaN))
    }),
    { numRuns: 40 },
  )
})

test('no return decides a neutralised score', () => {
  const panel = randomPanel(3)
  const config = { neutralise: { demean: ['market' as const, 'group' as const], columns: ['beta'] } }
  const data = neutralised(panel, config)
  const other = neutralised(
    panel.map((row, i) => ({ ...row, forward_return: i % 2 === 0 ? null : 0.5 })),
    config,
  )
  expect([...other.score]).toEqual([...data.score])
})

test('scores that the exposures explain fully are exactly 0, and tie', () => {
  const panel = randomPanel(5).map(row => ({
    ...row,
    score: row.beta === null || row.size === null ? null : 1_000 * row.beta - 0.37 * row.size + 5,
  }))
  const { score } = neutralised(panel, { neutralise: { columns: ['beta', 'size'] } })
  expect([...score].every(value => Number.isNaN(value) || value === 0)).toBe(true)
})

test('a date with no more names than estimates has no scores, and is counted', () => {
  const panel = randomPanel(9)
  const { neutralised: counts } = neutralised(panel, { neutralise: { columns: ['beta', 'size'] } })
  const small = panel.filter(({ date }) => date === panel[7 * 40].date)
  const complete = small.filter(row => row.score !== null && row.beta !== null && row.size !== null)
  expect(small.length).toBe(3)
  expect(counts?.withoutResidual[7]).toBe(complete.length)
  const missing = (row: FactorRow) => row.score !== null && (row.beta === null || row.size === null)
  expect(counts?.withoutExposure.reduce((sum, count) => sum + count, 0)).toBe(panel.filter(missing).length)
})

test('a missing column, group or market is refused by name', () => {
  const plain = randomPanel(1).map(({ date, asset, score, forward_return }) => ({
    date,
    asset,
    score,
    forward_return,
  }))
  const cases: [BacktestConfig, string][] = [
    [
      { neutralise: { columns: ['beta'] } },
      'The request names the column beta, but panel has no columns of your own.',
    ],
    [{ neutralise: { demean: ['group'] } }, 'no row has a group'],
    [{ neutralise: { demean: ['market'] } }, 'no row has a market'],
    [{ neutral: 'group' }, 'no row has a group. Send a panel with the column group'],
  ]
  for (const [config, text] of cases) {
    const run = () => neutralised(plain, config)
    expect(run).toThrow(Failure)
    expect(run).toThrow(text)
  }
})
