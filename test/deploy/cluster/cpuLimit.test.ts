import { expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { CpuLimit } from '../../../deploy/cluster/cpuLimit.ts'

const isPossible = await CpuLimit.isAvailable()
if (!isPossible) console.log('skipped: this account may not make control groups for processor time')

/** The defaults of COMPUTE_THREADS and JOB_CONCURRENCY, as docs/scaling.md explains them. */
test.skipIf(!isPossible)(
  'a process with a share of the cores has as many threads as the share has whole cores, and at least one',
  async () => {
    const limit = CpuLimit.create(`asfiled-share-${process.pid}`)
    if (limit === null) throw new Error('The group could not be made.')
    const print =
      'const { readConfig } = await import("./src/config.ts"); const { computeThreads, jobConcurrency } = readConfig({}); console.log(computeThreads, jobConcurrency)'
    const defaults = () =>
      Bun.spawnSync(limit.wrap([process.execPath, '-e', print]))
        .stdout.toString()
        .trim()
    try {
      const shares: Record<string, string> = {}
      for (const cores of [0.2, 1, 1.5]) {
        limit.setCores(cores)
        shares[cores] = defaults()
      }
      expect(shares).toEqual({ '0.2': '1 1', '1': '1 1', '1.5': '1 1' })
      limit.setCores(null)
      expect(defaults()).toBe(`${availableParallelism()} ${availableParallelism()}`)
    } finally {
      await limit.remove()
    }
  },
)
