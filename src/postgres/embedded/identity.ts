import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The operating-system account that runs PostgreSQL if this process runs as root. */
export interface ServerAccount {
  uid: number
  gid: number
  /**
   * True if a parent folder is closed to the account (0700). The account then keeps root's capability to pass
   * through folders.
   */
  bypassesFolderModes: boolean
}

/**
 * PostgreSQL refuses to run as root, so root chooses the owner of the cluster, otherwise postgres, otherwise
 * nobody. Null if this process is not root and runs PostgreSQL itself.
 */
export function chooseAccount(paths: readonly string[], existingCluster: string): ServerAccount | null {
  if (process.getuid?.() !== 0) return null
  const owner = existsSync(existingCluster) ? statSync(existingCluster) : null
  const account =
    owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findAccount(['postgres', 'nobody'])
  return { ...account, bypassesFolderModes: !paths.every(isOpenToAll) }
}

function findAccount(names: readonly string[]): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of names) {
    const fields = lines.find(line => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  return { uid: 65_534, gid: 65_534 }
}

function isOpenToAll(path: string): boolean {
  for (let folder = resolve(path); folder !== '/'; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false
  }
  return true
}

/** Passes on nothing of our own environment, which may contain credentials, and makes messages English. */
export const serverEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
} as const

interface CommandResult {
  code: number
  output: string
}

/** Runs a command of PostgreSQL as `account` and waits for its end. */
export function runAs(
  account: ServerAccount | null,
  command: string,
  args: readonly string[],
): Promise<CommandResult> {
  const [program, programArgs, ids] = wrap(account, command, args)
  return new Promise((fulfil, reject) => {
    const child = spawn(program, programArgs, {
      ...ids,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: serverEnvironment,
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-8_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', reject)
    child.on('exit', code => fulfil({ code: code ?? 1, output }))
  })
}

type Wrapped = [program: string, args: string[], ids: { uid?: number; gid?: number }]

/** The program, arguments and IDs that run `command` as `account`, in the process that is spawned. */
export function wrap(account: ServerAccount | null, command: string, args: readonly string[]): Wrapped {
  if (account === null) return [command, [...args], {}]
  if (!account.bypassesFolderModes) return [command, [...args], { uid: account.uid, gid: account.gid }]
  const capability = '+dac_override'
  return [
    'setpriv',
    [
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      // PostgreSQL finds its own binary with access(2), which would ignore the capability without this bit.
      '--securebits=+no_setuid_fixup',
      `--inh-caps=${capability}`,
      `--ambient-caps=${capability}`,
      command,
      ...args,
    ],
    {},
  ]
}
