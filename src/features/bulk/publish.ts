import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { Bucket, type BucketSettings, releaseKey, type StoredObject } from './bucket.ts'
import {
  type BulkFileEntry,
  type BulkManifest,
  manifestFile,
  type ReportedFileEntry,
  releaseFolder,
  reportedFolder,
} from './release.ts'

export interface PublishOptions {
  readonly bucket: BucketSettings
  /** The folder that stores releases. */
  readonly folder: string
  readonly manifest: BulkManifest
  /** The number of published releases to keep. */
  readonly keep: number
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Called before each file, with bytes. */
  readonly onProgress: (state: { done: number; total: number; path: string }) => void
}

export interface Publication {
  /** Like `s3://bucket/prefix/release=11/`. */
  readonly url: string
  /** False if the release was already published. */
  readonly isNew: boolean
}

const latestObject = 'latest.json'

/** Another server may still be publishing what is younger. */
const abandonedAfterMs = 24 * 3_600_000
const maxAttempts = 10

/**
 * Copies a release to a bucket of S3-compatible storage, unless it is there, and removes releases beyond the number to
 * keep. Programs that read all of a release read the bucket and never the service. A release is a folder with a Hive
 * partition for each market and year, and a manifest that is written last:
 *
 *     release=11/mapped/market=US/year=2010/3f1c….parquet
 *     release=11/figures/market=US/tags=us-gaap/year=2010/9ab2….parquet
 *     release=11/lines/market=US/tags=us-gaap/year=2010/07de….parquet
 *     release=11/manifest.json
 *     latest.json
 *
 * A file is named by the digest of its content, and storage shows an object only when all its bytes have arrived. So an
 * object of that name and size is complete, and an interrupted publication continues after it.
 */
export async function publishRelease(options: PublishOptions): Promise<Publication> {
  const { manifest, keep, now } = options
  const bucket = new Bucket(options.bucket, options.signal)
  const release = releaseKey(manifest.data_version)
  const { files, published } = publishedFiles(options)
  const text = `${JSON.stringify(published, null, 2)}\n`
  const found = await bucket.read(release + manifestFile)
  if (found !== null && found !== text)
    throw new Failure(
      'conflict',
      `${bucket.url}${release} is another release of data version ${manifest.data_version}, and a published release never changes. Remove both with ./asfiled bulk remove ${manifest.data_version} and build it again, or set BULK_URL to another prefix.`,
    )
  const newer = (await publishedReleases(bucket)).filter(version => version > manifest.data_version)
  if (newer.length >= keep)
    throw new Failure(
      'conflict',
      `${bucket.url} has the releases ${newer.join(', ')}, and ${keep} are kept, so data version ${manifest.data_version} would be removed at once. Set BULK_URL to a prefix that no other database publishes to.`,
    )
  await copyFiles(bucket, release, files, options)
  await requireWhole(bucket, release, files)
  if (found === null) {
    await bucket.write(release + manifestFile, text)
    // Another process may have removed files in the meantime. It leaves none of a release without a manifest.
    await requireWhole(bucket, release, files)
  }
  await nameLatest(bucket)
  await removeOlder(bucket, keep, now().getTime() - abandonedAfterMs)
  return { url: bucket.url + release, isNew: found === null }
}

/** Removes a published release. Returns false if nothing of it is there. */
export async function removePublished(settings: BucketSettings, dataVersion: number): Promise<boolean> {
  const bucket = new Bucket(settings, new AbortController().signal)
  // Before the release goes, so that latest.json always names one that is complete.
  await nameLatest(bucket, dataVersion)
  return removeFrom(bucket, dataVersion)
}

/** The complete releases in the bucket, newest first. */
async function publishedReleases(bucket: Bucket): Promise<readonly number[]> {
  const complete: number[] = []
  for (const version of await bucket.releases())
    if ((await bucket.read(releaseKey(version) + manifestFile)) !== null) complete.push(version)
  return complete.sort((a, b) => b - a)
}

/** Looks again after each change, so that of several servers which publish at once the last one names the newest. */
async function nameLatest(bucket: Bucket, removed?: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const newest = (await publishedReleases(bucket)).find(version => version !== removed)
    const named = await bucket.read(latestObject)
    if (newest === undefined) {
      if (named === null) return
      await bucket.delete(latestObject)
      continue
    }
    const text = `${JSON.stringify({ data_version: newest, manifest: releaseKey(newest) + manifestFile })}\n`
    if (named === text) return
    await bucket.write(latestObject, text)
  }
  throw new Failure(
    'conflict',
    `Other processes keep changing ${bucket.url}${latestObject}. Run the same command again when they have ended.`,
  )
}

/** Releases beyond the number to keep, and what interrupted publications left. */
async function removeOlder(bucket: Bucket, keep: number, abandonedBeforeMs: number): Promise<void> {
  const releases = await publishedReleases(bucket)
  const kept = releases.slice(0, keep)
  for (const version of await bucket.releases()) {
    if (kept.includes(version)) continue
    if (
      releases.includes(version) ||
      isAbandoned(await bucket.objects(releaseKey(version)), abandonedBeforeMs)
    )
      await removeFrom(bucket, version)
  }
}

const isAbandoned = (objects: ReadonlyMap<string, StoredObject>, beforeMs: number): boolean =>
  [...objects.values()].every(({ writtenMs }) => writtenMs < beforeMs)

/** The manifest goes first, so that a partial release never looks complete. */
async function removeFrom(bucket: Bucket, dataVersion: number): Promise<boolean> {
  const release = releaseKey(dataVersion)
  const isManifest = (key: string) => key === release + manifestFile
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const objects = await bucket.objects(release)
    if (objects.size === 0) return attempt > 0
    const ordered = [...objects.keys()].sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)))
    for (const key of ordered) await bucket.delete(key)
  }
  throw new Failure(
    'conflict',
    `Another process keeps writing to ${bucket.url}${release}. Run the same command again when it has ended.`,
  )
}

/** The manifest goes if a file is missing: a release that has one is complete. */
async function requireWhole(bucket: Bucket, release: string, files: readonly SourceFile[]): Promise<void> {
  const there = await bucket.objects(release)
  const missing = files.find(({ entry }) => there.get(release + entry.path)?.bytes !== entry.bytes)
  if (missing === undefined) return
  await bucket.delete(release + manifestFile)
  throw new Failure(
    'conflict',
    `${bucket.url}${release}${missing.entry.path} was removed while the release was published. Does another process publish or remove releases there? The same command continues.`,
  )
}

/** A file of the release: where it is on disk, and its entry in the manifest. */
interface SourceFile {
  readonly path: string
  readonly entry: BulkFileEntry
}

async function copyFiles(
  bucket: Bucket,
  release: string,
  files: readonly SourceFile[],
  { onProgress }: PublishOptions,
): Promise<void> {
  const there = await bucket.objects(release)
  const expected = new Set(
    [manifestFile, ...files.map(({ entry }) => entry.path)].map(path => release + path),
  )
  // Of an interrupted publication of a release that was built again.
  for (const key of there.keys()) if (!expected.has(key)) await bucket.delete(key)
  const total = files.reduce((sum, { entry }) => sum + entry.bytes, 0)
  let done = 0
  for (const { path, entry } of files) {
    onProgress({ done, total, path: entry.path })
    if (there.get(release + entry.path)?.bytes !== entry.bytes) {
      await requireIntact(path, entry)
      await bucket.writeFile(release + entry.path, path, entry.bytes)
    }
    done += entry.bytes
  }
}

async function requireIntact(path: string, { sha256 }: BulkFileEntry): Promise<void> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const part of Bun.file(path).stream()) hash.update(part)
  if (hash.digest('hex') !== sha256)
    throw new Failure(
      'conflict',
      `${path} is damaged: its SHA-256 is not that of the manifest. Remove the release with ./asfiled bulk remove and build it again.`,
    )
}

/** The files of a release, and the manifest with their paths in the bucket. */
function publishedFiles({ folder: releases, manifest }: PublishOptions): {
  readonly files: readonly SourceFile[]
  readonly published: BulkManifest
} {
  const folder = releaseFolder(releases, manifest.data_version)
  const files: SourceFile[] = []
  const publish = <T extends BulkFileEntry>(source: string, keyFolder: string, file: T): T => {
    const entry = { ...file, path: `${keyFolder}/year=${file.year}/${file.sha256}.parquet` }
    files.push({ path: join(source, file.path), entry })
    return entry
  }
  const published: BulkManifest = {
    ...manifest,
    files: manifest.files.map(file => publish(folder, `mapped/market=${file.market}`, file)),
    ...(manifest.reported === undefined
      ? {}
      : {
          reported: manifest.reported.map(table => ({
            ...table,
            files: table.files.map((file: ReportedFileEntry) =>
              publish(
                join(folder, reportedFolder),
                `${table.name}/market=${file.market}/tags=${file.taxonomy}`,
                file,
              ),
            ),
          })),
        }),
  }
  return { files, published }
}
