import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Where the yardsticks lie, null where this machine has them not. */
export const peersFolder = (() => {
  const folder = resolve(import.meta.dir, '../../../shared/peers')
  if (!existsSync(folder)) return null
  return Bun.spawnSync(['python3', '-c', 'import numpy']).exitCode === 0 ? folder : null
})()

export function runPython(folder: string, args: readonly string[]): string {
  const run = Bun.spawnSync(['python3', ...args], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  return run.stdout.toString()
}
