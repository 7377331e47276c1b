import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isoDate, registerFormats } from '../../../src/dates.ts'
import { uniform } from '../scoring/randomPanel.ts'
import { byGroupOf } from './byGroup.ts'

registerFormats()

/** alphalens-reloaded is the library that most users know, in the version of `.ci/requirements-long.txt`. */
const python = process.env.PYTHON ?? 'python3'
const isReady =
  process.env.LONG !== undefined &&
  Bun.spawnSync([python, '-c', 'import alphalens'], { stderr: 'ignore' }).exitCode === 0
if (!isReady)
  console.log('skipped: alphalens runs with LONG=1 and a PYTHON that has .ci/requirements-long.txt')

test.skipIf(!isReady)(
  'IC and quantile returns by group are those of alphalens-reloaded (LONG=1)',
  () => {
    const next = uniform(77)
    // A number of names that ten buckets divide evenly: elsewhere the cuts of pandas.qcut are others by definition.
    const panel = Array.from({ length: 250 }, (_, t) =>
      Array.from({ length: 100 }, (__, i) => {
        const score = next()
        const forward_return = (next() - 0.5) / 20 + score / 300
        return {
          date: isoDate(19_723 + t),
          asset: `N${i + 100}`,
          group: `G${(7 * i + t) % 6}`,
          score,
          forward_return,
        }
      }),
    ).flat()
    const run = Bun.spawnSync([python, join(import.meta.dir, 'fixtures/byGroupPeer.py')], {
      stdin: new TextEncoder().encode(JSON.stringify(panel)),
    })
    expect(run.stderr.toString()).toBe('')
    const peer: { ic: Record<string, number>; returns: Record<string, number[]> } = JSON.parse(
      run.stdout.toString(),
    )
    const found = byGroupOf(panel)
    expect(found.map(({ group }) => group ?? '')).toEqual(Object.keys(peer.ic))
    for (const { group, ic, quantiles } of found) {
      expect(Math.abs((ic.mean ?? Number.NaN) - peer.ic[group ?? ''])).toBeLessThan(1e-12)
      quantiles.forEach(({ mean_return }, b) => {
        expect(Math.abs((mean_return ?? Number.NaN) - peer.returns[group ?? ''][b])).toBeLessThan(1e-14)
      })
    }
  },
  180_000,
)
