import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Who runs the database. PostgreSQL refuses to run as root, so root hands it to an ordinary account. */
export interface Identity {
  uid: number
  gid: number
  /** Set when that account cannot walk to the folders (a 0700 parent): it then keeps root's right to pass. */
  passClosedFolders: boolean
}

/** null: the current user is no root and runs the database itself. */
export function chooseIdentity(paths: readonly string[], existingCluster: string): Identity | null {
  if (process.getuid?.() !== 0) return null
  const owner = existsSync(existingCluster) ? statSync(existingCluster) : null
  const account =
    owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findAccount(['postgres', 'nobody'])
  return { ...account, passClosedFolders: !paths.every(isOpenToAll) }
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

const commandPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface CommandResult {
  code: number
  output: string
}

/** Runs one of PostgreSQL's commands to its end, as `identity`. */
export function runAs(
  identity: Identity | null,
  command: string,
  args: readonly string[],
): Promise<CommandResult> {
  const [program, programArgs, ids] = wrap(identity, command, args)
  return new Promise((fulfil, reject) => {
    const child = spawn(program, programArgs, {
      ...ids,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: commandPath, LC_ALL: 'C', TZ: 'UTC' },
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

function wrap(identity: Identity | null, command: string, args: readonly string[]): Wrapped {
  if (identity === null) return [command, [...args], {}]
  if (!identity.passClosedFolders) return [command, [...args], { uid: identity.uid, gid: identity.gid }]
  const capability = '+dac_override'
  return [
    'setpriv',
    [
      `--reuid=${identity.uid}`,
      `--regid=${identity.gid}`,
      '--clear-groups',
      // Without this access(2), by which PostgreSQL looks for its own binary, would not heed the capability.
      '--securebits=+no_setuid_fixup',
      `--inh-caps=${capability}`,
      `--ambient-caps=${capability}`,
      command,
      ...args,
    ],
    {},
  ]
}

/** Whether a process of this number runs, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
