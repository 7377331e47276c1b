import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { findPython } from '../../test/python.ts'

const out = resolve(import.meta.dir, '../out')

/** A copy of the peer implementations (the C++ one is built in its folder). null: they, or NumPy, are not on this machine. */
export const peersFolder = (() => {
  const shared = resolve(import.meta.dir, '../../../shared/peers')
  if (!existsSync(shared) || findPython('numpy') === null) return null
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

/** Writes a deterministic panel in the file format of the peer implementations. */
export function writePanel(folder: string, dates: number, assets: number): string {
  const file = resolve(out, `p${dates}x${assets}.bin`)
  if (!existsSync(file)) {
    runPython(folder, ['gen_panel.py', '--dates', `${dates}`, '--assets', `${assets}`, '--out', file])
  }
  return file
}
