import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rounds } from '../rounds.ts'
import { hasNamespaces, restartHard } from './hardRestarts.ts'

if (!hasNamespaces) console.warn('skipped: this account may not make PID namespaces')

const folder = mkdtempSync(join(tmpdir(), 'asfiled-restarts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stops = rounds(2, 5)

// hardRestarts.long.test.ts does 50.
test.skipIf(!hasNamespaces)(
  `after each of ${stops} hard stops in a PID namespace the next start is ready with every committed row`,
  async () => {
    expect(await restartHard(folder, stops)).toEqual([])
  },
  5 * 60_000,
)
