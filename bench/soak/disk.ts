import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'

/** Mounts a small disk in memory that the soak and tests can fill up. Returns null if this account may not mount one. */
export function mountDisk(folder: string, megabytes: number) {
  mkdirSync(folder, { recursive: true })
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]
  if (
    process.platform !== 'linux' ||
    Bun.spawnSync(['mount', ...options], { stderr: 'ignore' }).exitCode !== 0
  )
    return null
  const ballast = resolve(folder, 'ballast')
  return {
    /** Fills the disk except for `leftBytes`. */
    fill(leftBytes = 0) {
      const file = openSync(ballast, 'w')
      const chunk = Buffer.alloc(256 * 1_024, 1)
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(folder)
          const size = Math.min(chunk.length, bavail * bsize - leftBytes)
          if (size <= 0) return
          writeSync(file, chunk, 0, size)
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => void Bun.spawnSync(['umount', '--lazy', folder], { stderr: 'ignore' }),
  }
}
