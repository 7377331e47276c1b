import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { findPython, runPython } from '../../python.ts'
import { randomPanel } from '../scoring/randomPanel.ts'
import { byGroupOf } from './byGroup.ts'

registerFormats()
const folder = mkdtempSync(join(tmpdir(), 'by-group-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The definitions as loops over the rows: ranks by counting, means by numpy. */
const loop = `
import json, sys
import numpy as np
rows = json.load(open(sys.argv[1]))
def ranks(v): return np.array([sum(w < x for w in v) + (sum(w == x for w in v) + 1) / 2 for x in v])
groups = sorted({r["group"] for r in rows if r["score"] is not None}, key=lambda g: g or "")
out = {str(g): {"rows": 0, "ics": [], "q": [[] for _ in range(10)]} for g in groups}
for date in sorted({r["date"] for r in rows}):
    ranked = sorted((r for r in rows if r["date"] == date and r["score"] is not None), key=lambda r: (r["score"], r["asset"]))
    for g in groups:
        own = out[str(g)]
        mine = [(j, r) for j, r in enumerate(ranked) if r["group"] == g]
        own["rows"] += len(mine)
        known = [(j, r) for j, r in mine if r["forward_return"] is not None]
        a, b = ranks([r["score"] for _, r in known]), ranks([r["forward_return"] for _, r in known])
        if len(known) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0: own["ics"].append(np.corrcoef(a, b)[0, 1])
        for q in range(10):
            inside = [r["forward_return"] for j, r in known if j * 10 // len(ranked) == q]
            if inside: own["q"][q].append(np.mean(inside))
mean = lambda v: float(np.mean(v)) if len(v) else None
json.dump({g: {"rows": o["rows"], "mean": mean(o["ics"]), "sd": float(np.std(o["ics"], ddof=1)) if len(o["ics"]) > 1 else None,
               "n": len(o["ics"]), "q": [mean(v) for v in o["q"]], "nq": [len(v) for v in o["q"]]} for g, o in out.items()}, sys.stdout)
`

const python = findPython('numpy')

interface Loop {
  readonly rows: number
  readonly mean: number | null
  readonly sd: number | null
  readonly n: number
  readonly q: readonly (number | null)[]
  readonly nq: readonly number[]
}

test.skipIf(python === null)('IC and quantile returns by group are those of a plain loop of numpy', () => {
  const panel = randomPanel(31).map(({ beta: _, size: __, twin: ___, ...row }) => row)
  const file = join(folder, 'rows.json')
  writeFileSync(file, JSON.stringify(panel))
  const truth: Record<string, Loop> = JSON.parse(runPython(python ?? '', folder, ['-c', loop, file]))
  const found = byGroupOf(panel)
  expect(found.map(({ group }) => String(group === null ? 'None' : group))).toEqual(Object.keys(truth))
  const near = (value: number | null, expected: number | null) => {
    expect(value === null).toBe(expected === null)
    expect(Math.abs((value ?? 0) - (expected ?? 0))).toBeLessThan(1e-12)
  }
  for (const { group, n_rows, ic, quantiles } of found) {
    const own = truth[group ?? 'None']
    expect([n_rows, ic.n_periods]).toEqual([own.rows, own.n])
    near(ic.mean, own.mean)
    near(ic.sd, own.sd)
    expect(quantiles.map(({ n_periods }) => n_periods)).toEqual([...own.nq])
    quantiles.forEach(({ mean_return }, b) => {
      near(mean_return, own.q[b])
    })
  }
})

test('rows without groups are refused', () => {
  const bare = randomPanel(2).map(({ date, asset, score, forward_return }) => ({
    date,
    asset,
    score,
    forward_return,
  }))
  expect(() => byGroupOf(bare)).toThrow(Failure)
  expect(() => byGroupOf(bare)).toThrow('no row has a group')
})
