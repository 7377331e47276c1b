import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'

const out = resolve(import.meta.dir, '../out')

/** A copy of the yardsticks (the C++ one is built where it lies), null where this machine has them not. */
export const peersFolder = (() => {
  const shared = resolve(import.meta.dir, '../../../shared/peers')
  if (!existsSync(shared) || Bun.spawnSync(['python3', '-c', 'import numpy']).exitCode !== 0) return null
  const folder = resolve(out, 'peers')
  mkdirSync(folder, { recursive: true })
  cpSync(shared, folder, { recursive: true, preserveTimestamps: true })
  return folder
})()

export const hasCompiler = Bun.which('g++') !== null

export function runPython(folder: string, args: readonly string[]): string {
  const run = Bun.spawnSync(['python3', ...args], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  return run.stdout.toString()
}

/** A deterministic panel in the peers' file format. */
export function writePanel(folder: string, dates: number, assets: number): string {
  const file = resolve(out, `p${dates}x${assets}.bin`)
  if (!existsSync(file)) {
    runPython(folder, ['gen_panel.py', '--dates', `${dates}`, '--assets', `${assets}`, '--out', file])
  }
  return file
}
