import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * The holder of a process number: this cluster's PostgreSQL (`server`), another process or none (`other`), or `unknown`
 * if the system does not say.
 */
type NumberHolder = 'server' | 'other' | 'unknown'

/**
 * Whether the process with this number is this cluster's PostgreSQL. After a power failure or a container's
 * restart, the number in postmaster.pid may belong to any process, so its existence proves nothing.
 */
export function holderOf(pid: number, cluster: string): NumberHolder {
  if (!existsSync('/proc/self')) return holderByPs(pid, cluster)
  if (!isPostgres(pid)) return 'other'
  const worksHere = worksInPath(pid, cluster)
  if (worksHere !== 'unknown') return worksHere ? 'server' : 'other'
  return isDataArgument(commandLine(pid), cluster) ? 'server' : 'other'
}

/**
 * PostgreSQL processes that work in this cluster: its orphans, if the postmaster is dead. Empty if the system
 * does not tell.
 */
export function findServerProcesses(cluster: string): number[] {
  if (!existsSync('/proc/self')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => isPostgres(pid) && worksInPath(pid, cluster) === true)
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch {
    return false
  }
}

/** Identifies a folder, even after it is moved. */
export interface FolderIdentity {
  readonly dev: number
  readonly ino: number
}

/** Null if there is no such folder. */
export function identityOf(path: string): FolderIdentity | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : { dev: found.dev, ino: found.ino }
}

/**
 * PostgreSQL works in its data folder. The folder may be moved meanwhile, so inodes are compared instead of
 * paths.
 */
export function worksIn(pid: number, folder: FolderIdentity): boolean | 'unknown' {
  try {
    const found = statSync(`/proc/${pid}/cwd`)
    return found.dev === folder.dev && found.ino === folder.ino
  } catch (error) {
    // Containers often deny root the right to inspect processes of other accounts.
    return error instanceof Error && 'code' in error && error.code === 'EACCES' ? 'unknown' : false
  }
}

function worksInPath(pid: number, cluster: string): boolean | 'unknown' {
  const folder = identityOf(cluster)
  return folder !== null && worksIn(pid, folder)
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function isDataArgument(args: readonly string[], cluster: string): boolean {
  const folder = args[args.indexOf('-D') + 1]
  if (!args.includes('-D') || folder === undefined) return false
  const [named, own] = [identityOf(folder), identityOf(cluster)]
  return named !== null && named.dev === own?.dev && named.ino === own.ino
}

function holderByPs(pid: number, cluster: string): NumberHolder {
  const found = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  if (found.error !== undefined) return 'unknown'
  return found.stdout.includes(`-D ${resolve(cluster)}`) ? 'server' : 'other'
}
