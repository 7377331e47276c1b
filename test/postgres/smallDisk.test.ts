import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'

setDefaultTimeout(180_000)

const disk = mkdtempSync(join(tmpdir(), 'asfiled-small-'))

/** Runs `work` with a small disk, where this account may mount one. */
async function onDisk(megabytes: number, work: () => Promise<void>): Promise<void> {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk]
  if (Bun.spawnSync(['mount', ...options], { stderr: 'ignore' }).exitCode !== 0) {
    console.warn('skipped: this account may not mount a small disk')
    return
  }
  try {
    await work()
  } finally {
    Bun.spawnSync(['umount', '--lazy', disk])
  }
}

test.each([12, 36])('a first start on a disk of %i MB says that it is full, and leaves nothing', megabytes =>
  onDisk(megabytes, async () => {
    await expect(openCluster(join(disk, 'data'), () => {})).rejects.toThrow(/The disk of \S+ is full/)
    expect(readdirSync(join(disk, 'data')).filter(name => name.startsWith('database'))).toEqual([])
  }),
)

afterAll(() => rmSync(disk, { recursive: true, force: true }))
