import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../../../deploy/cluster/cluster.ts'
import { spanTable } from '../../../deploy/cluster/load.ts'
import { proveCluster } from '../../../deploy/cluster/run.ts'
import { nonEmpty } from '../../nonEmpty.ts'

const haproxy = Bun.which('haproxy')
if (process.env.LONG === undefined) console.log('skipped: the cluster under load and kills runs with LONG=1')
else if (haproxy === null) console.log('skipped: there is no haproxy (Debian: apt-get install haproxy)')

/**
 * Responses that are computed or streamed. Half of one may have been sent when its server or the primary is
 * killed.
 */
const cutByAKill = /^(several companies|signals|rows as CSV|as-of join|backtest|batch|sweep|tool|bulk file):/

describe.skipIf(process.env.LONG === undefined || haproxy === null)(
  'two servers, a worker, a primary, a replica and HAProxy, killed one by one under load (LONG=1, HAProxy)',
  () => {
    test('no answer is wrong, no job is lost, and a lost server or replica fails no read', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'asfiled-cluster-'))
      try {
        const outcome = await proveCluster({ seconds: 6, clients: 6, folder, report: () => {} })
        console.log(spanTable(outcome.spans))
        expect(outcome.wrong).toEqual([])
        expect(outcome.compared).toBeGreaterThan(100)
        expect(outcome.imports).toBeGreaterThan(10)
        expect(outcome.jobs.lost).toBe(0)
        const failures = nonEmpty(outcome.spans).flatMap(({ name, failures }) =>
          Object.keys(failures)
            .filter(what => !cutByAKill.test(what))
            .map(what => `${name}: ${what}`),
        )
        expect(failures).toEqual([])
        const refused = nonEmpty(outcome.spans).filter(
          ({ name, refused }) => refused > 0 && !/primary|after it/.test(name),
        )
        expect(refused).toEqual([])
      } finally {
        removeFolder(folder)
      }
    }, 600_000)
  },
)
