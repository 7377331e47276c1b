import { closeSync, fsyncSync, lstatSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createFirstKey } from '../access/keys.ts'
import { whileNoKeyExists } from '../access/queries.ts'
import type { IsoDate } from '../dates.ts'
import { Failure, reasonOf } from '../errors.ts'
import { loadSignalsSample } from '../features/signals/import/sample.ts'
import { loadSample } from '../ingest/sample/loadSample.ts'
import { beginSampleLoad, finishSampleLoad } from '../ingest/store/importQueries.ts'
import { connect, type Sql } from '../postgres/client.ts'

const ownerEmail = 'owner@asfiled.example'

/** An arbitrary number, the same for all servers of one database. */
const sampleLock = 0x736d706c

/** Loads the bundled sample into an empty database. If the process is killed, the next start completes the
 * load. Servers that start at the same time wait for the one that loads it. */
export async function prepareFirstStart(
  sql: Sql,
  url: string,
  announce: (line: string) => void,
): Promise<void> {
  if (!(await beginSampleLoad(sql))) return
  // Separate connections without a time limit: on a busy machine, the sample takes longer than a request may.
  // The connection with the lock is reserved, because it would otherwise be closed as idle.
  const pool = connect({ url, connections: 4, statementTimeoutMs: 0, applicationName: 'asfiled-first-start' })
  try {
    const lock = await pool.reserve()
    await lock`select pg_advisory_lock(${sampleLock})`
    if (!(await beginSampleLoad(sql))) return
    announce('Loading the sample: companies of eight markets, two horizons of signals ...')
    await loadSample(pool)
    await loadSignalsSample(pool)
    await finishSampleLoad(sql)
  } finally {
    await pool.end({ timeout: 0 })
  }
}

/** Where the owner's key was delivered. `elsewhere`: another server that started at the same time created and
 * delivered it. */
export type OwnerKey =
  | { readonly to: 'terminal'; readonly key: string }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'elsewhere' }

/** Whether this start should create the owner's key, because no key exists. Throws if the key cannot be
 * written to OWNER_KEY_FILE, before anything is loaded. */
export async function expectsOwnerKey(sql: Sql, keyFile: string | null): Promise<boolean> {
  // Waits for any other server that is creating the key: its new file would look like an old one.
  const expected = await whileNoKeyExists(sql, async () => {
    if (keyFile !== null) assertNewFile(keyFile)
    return true
  })
  return expected === true
}

function assertNewFile(path: string): void {
  const folder = dirname(resolve(path))
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(
      'parameter_invalid',
      `OWNER_KEY_FILE=${path}: the folder ${folder} does not exist. Create it, or name a file in another one.`,
    )
  if (isTaken(path))
    throw new Failure(
      'parameter_invalid',
      `OWNER_KEY_FILE=${path} exists and is never overwritten. No key exists in this database, so what is in the file does not work here: remove it or name another file.`,
    )
  // Some folders reject only actual writes: /proc, a full disk, a read-only mount.
  const trial = resolve(folder, `.asfiled-${crypto.randomUUID()}`)
  try {
    closeSync(openSync(trial, 'wx', 0o600))
    rmSync(trial)
  } catch (cause) {
    throw notWritable(path, cause)
  }
}

/** True even for a dangling link, because a new file cannot take its name. */
function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw notWritable(path, cause)
  }
}

const notWritable = (path: string, cause: unknown) =>
  new Failure(
    'parameter_invalid',
    `OWNER_KEY_FILE=${path} could not be written: ${reasonOf(cause)}. Name a new file in a folder that this account can write to.`,
    { cause },
  )

/** Creates the owner's key if no key exists. Called last: the key cannot be shown again, so nothing may fail
 * between here and the banner. */
export async function makeOwnerKey(
  sql: Sql,
  today: () => IsoDate,
  keyFile: string | null,
): Promise<OwnerKey> {
  const order = { email: ownerEmail, licence: 'redistribution', quant: true, environment: 'live' } as const
  let written = false
  const deliver = (key: string) => {
    if (keyFile === null) return
    writeKeyFile(keyFile, key)
    written = true
  }
  try {
    const created = await createFirstKey({ sql, today }, order, deliver)
    if (created === null) return { to: 'elsewhere' }
    return keyFile === null ? { to: 'terminal', key: created.key } : { to: 'file', path: keyFile }
  } catch (error) {
    if (written && keyFile !== null) rmSync(keyFile, { force: true })
    throw error
  }
}

/** Writes the key to a new file that only this account can read. */
function writeKeyFile(path: string, key: string): void {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeSync(file, `${key}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw notWritable(path, cause)
  }
}
