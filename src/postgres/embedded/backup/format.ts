import { Failure } from '../../../errors.ts'
import type { AppliedMigration } from '../../history.ts'

/** The first entry describes the backup, the last one lists each file's checksum. */
export const manifestName = 'asfiled-backup.json'
export const checksumsName = 'checksums.sha256'
/** The database's folder within the archive, named as in DATA_DIR. */
export const contentFolder = 'database'

const endText = Buffer.from('asfiled backup, whole')
/**
 * The last bytes of a backup, in a frame that zstd skips. A truncated backup lacks them, which is detected
 * before anything is unpacked.
 */
export const endMark = Buffer.concat([
  Buffer.from([0x50, 0x2a, 0x4d, 0x18, endText.length, 0, 0, 0]),
  endText,
])

const format = 1

export interface BackupManifest {
  readonly format: number
  /** The version of asfiled that wrote the backup. */
  readonly version: string
  readonly createdAt: string
  /** PostgreSQL's files are only portable between machines of the same kind. */
  readonly platform: string
  readonly postgres: string
  readonly migrations: readonly AppliedMigration[]
}

export const platform = `${process.platform}-${process.arch}`

export const makeManifest = (parts: Omit<BackupManifest, 'format' | 'platform'>): string =>
  `${JSON.stringify({ format, platform, ...parts }, null, 2)}\n`

/** Throws for a backup that cannot be restored here, whatever it contains. */
export function parseManifest(text: string, file: string, postgres: string): BackupManifest {
  const manifest = readJson(text)
  if (manifest === null) throw damaged(file, 'its description is not readable')
  if (manifest.format !== format)
    throw new Failure(
      'conflict',
      `${file} has format ${manifest.format}, written by asfiled ${manifest.version}; this version reads format ${format}. Restore it with asfiled ${manifest.version}.`,
    )
  if (manifest.platform !== platform)
    throw new Failure(
      'conflict',
      `${file} was written on ${manifest.platform}, but this machine is ${platform}: PostgreSQL's files cannot be moved between them. Restore it on a machine of that kind.`,
    )
  if (manifest.postgres !== postgres)
    throw new Failure(
      'conflict',
      `${file} was made with PostgreSQL ${manifest.postgres}, but this version runs PostgreSQL ${postgres}. Restore it with asfiled ${manifest.version}.`,
    )
  return manifest
}

function readJson(text: string): BackupManifest | null {
  try {
    const value: unknown = JSON.parse(text)
    return isManifest(value) ? value : null
  } catch {
    return null
  }
}

const isText = (value: unknown) => typeof value === 'string'

function isMigration(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false
  if (!('digest' in value) || !('version' in value)) return false
  return isText(value.name) && [value.digest, value.version].every(field => field === null || isText(field))
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  const texts = ['version', 'createdAt', 'platform', 'postgres']
  return (
    typeof fields.format === 'number' &&
    texts.every(name => isText(fields[name])) &&
    Array.isArray(fields.migrations) &&
    fields.migrations.every(isMigration)
  )
}

export const damaged = (file: string, reason: string, cause?: unknown) =>
  new Failure(
    'conflict',
    `${file} is damaged or is not a backup: ${reason}. Nothing was restored. Use another copy of it.`,
    { cause },
  )
