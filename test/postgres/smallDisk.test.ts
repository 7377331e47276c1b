import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mountDisk } from '../../bench/soak/disk.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'

setDefaultTimeout(180_000)

const disk = mkdtempSync(join(tmpdir(), 'asfiled-small-'))

/** Runs `work` with a small disk, where this account may mount one. */
async function onDisk(
  megabytes: number,
  work: (small: NonNullable<ReturnType<typeof mountDisk>>) => Promise<void>,
): Promise<void> {
  const small = mountDisk(disk, megabytes)
  if (small === null) {
    console.warn('skipped: this account may not mount a small disk')
    return
  }
  try {
    await work(small)
  } finally {
    small.unmount()
  }
}

test.each([12, 36])('a first start on a disk of %i MB says that it is full, and leaves nothing', megabytes =>
  onDisk(megabytes, async () => {
    await expect(openCluster(join(disk, 'data'), () => {})).rejects.toThrow(/The disk of \S+ is full/)
    expect(readdirSync(join(disk, 'data')).filter(name => name.startsWith('database'))).toEqual([])
  }),
)

test('a PostgreSQL that runs, but lets nobody in for want of room, is called that until there is room', () =>
  onDisk(320, async small => {
    const cluster = await openCluster(join(disk, 'data'), () => {})
    try {
      // PostgreSQL writes these files anew for the first connection, and refuses the connection if it cannot.
      for (const file of globSync('**/pg_internal.init', { cwd: cluster.location.cluster }))
        rmSync(join(cluster.location.cluster, file))
      small.fill()
      await expect(cluster.ensureRunning()).rejects.toThrow(/the disk of \S+ is full/)
      small.free()
      await cluster.ensureRunning()
    } finally {
      small.free()
      await cluster.close()
    }
  }))

afterAll(() => rmSync(disk, { recursive: true, force: true }))
