import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** What has a process number: the PostgreSQL of this cluster, or something else or nothing. `unknown`: this system does not say. */
type NumberHolder = 'server' | 'other' | 'unknown'

/** Says whether the process of this number is the PostgreSQL of this cluster. After a power cut, or when a container starts again,
 * the number in postmaster.pid belongs to any process: that it exists says nothing. */
export function holderOf(pid: number, cluster: string): NumberHolder {
  if (!existsSync('/proc/self')) return holderByPs(pid, cluster)
  if (!isPostgres(pid)) return 'other'
  const worksHere = worksIn(pid, cluster)
  if (worksHere !== 'unknown') return worksHere ? 'server' : 'other'
  return isDataArgument(commandLine(pid), cluster) ? 'server' : 'other'
}

/** PostgreSQL processes that work in this cluster: with a dead postmaster, its orphans. Empty where the system does not say. */
export function findServerProcesses(cluster: string): number[] {
  if (!existsSync('/proc/self')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => isPostgres(pid) && worksIn(pid, cluster) === true)
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch {
    return false
  }
}

/** PostgreSQL works in its data folder. The folder may be moved meanwhile, so inodes are compared and not paths. */
function worksIn(pid: number, cluster: string): boolean | 'unknown' {
  try {
    return isSameFolder(`/proc/${pid}/cwd`, cluster)
  } catch (error) {
    // Containers often take the right to look into processes of other accounts away from root.
    return error instanceof Error && 'code' in error && error.code === 'EACCES' ? 'unknown' : false
  }
}

function isSameFolder(path: string, other: string): boolean {
  const [one, two] = [statSync(path), statSync(other)]
  return one.dev === two.dev && one.ino === two.ino
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
  return args.includes('-D') && folder !== undefined && existsSync(folder) && isSameFolder(folder, cluster)
}

function holderByPs(pid: number, cluster: string): NumberHolder {
  const found = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  if (found.error !== undefined) return 'unknown'
  return found.stdout.includes(`-D ${resolve(cluster)}`) ? 'server' : 'other'
}
