import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasNamespaces, restartHard } from './hardRestarts.ts'

const isLong = process.env.LONG === '1'
if (!isLong) console.warn('skipped: 50 hard restarts take minutes; they run with LONG=1')
else if (!hasNamespaces) console.warn('skipped: this account may not make PID namespaces')

const folder = mkdtempSync(join(tmpdir(), 'asfiled-restarts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!isLong || !hasNamespaces)(
  'after each of 50 hard stops in a PID namespace, at random moments, the next start is ready with every committed row',
  async () => {
    expect(await restartHard(folder, 50)).toEqual([])
  },
  30 * 60_000,
)
