import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { findPython, runPython as runWith } from '../../test/python.ts'

const out = resolve(import.meta.dir, '../out')

const python = findPython('numpy')

/** The folder of a copy of the peer implementations, into which the C++ one is compiled. Null if they or NumPy are missing
 * on this machine. */
export const peersFolder = (() => {
  const shared = resolve(import.meta.dir, '../../../shared/peers')
  if (!existsSync(shared) || python === null) return null
  const folder = resolve(out, 'peers')
  mkdirSync(folder, { recursive: true })
  cpSync(shared, folder, { recursive: true, preserveTimestamps: true })
  return folder
})()

export const hasCompiler = Bun.which('g++') !== null

export const runPython = (folder: string, args: readonly string[]) =>
  runWith(python ?? 'python3', folder, args)

/** Writes a deterministic panel in the file format of the peer implementations. */
export function writePanel(folder: string, dates: number, assets: number): string {
  const file = resolve(out, `p${dates}x${assets}.bin`)
  if (!existsSync(file)) {
    runPython(folder, ['gen_panel.py', '--dates', `${dates}`, '--assets', `${assets}`, '--out', file])
  }
  return file
}
