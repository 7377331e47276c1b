import { join } from 'node:path'
import { Failure } from '../../errors.ts'
import { Bucket, type BucketSettings, releaseKey } from './bucket.ts'
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
  const { manifest, keep } = options
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
  if (found === null) {
    await copyFiles(bucket, release, files, options)
    await bucket.write(release + manifestFile, text)
  }
  const releases = await publishedReleases(bucket)
  await nameLatest(bucket, releases)
  const kept = releases.slice(0, keep)
  // The others are too old, or what an interrupted publication left.
  for (const version of await bucket.releases())
    if (!kept.includes(version)) await removeFrom(bucket, version)
  return { url: bucket.url + release, isNew: found === null }
}

/** Removes a published release. Returns false if nothing of it is there. */
export async function removePublished(settings: BucketSettings, dataVersion: number): Promise<boolean> {
  const bucket = new Bucket(settings, new AbortController().signal)
  const releases = await publishedReleases(bucket)
  // Before the release goes, so that latest.json always names one that is complete.
  await nameLatest(
    bucket,
    releases.filter(version => version !== dataVersion),
  )
  return removeFrom(bucket, dataVersion)
}

/** The complete releases in the bucket, newest first. */
async function publishedReleases(bucket: Bucket): Promise<readonly number[]> {
  const complete: number[] = []
  for (const version of await bucket.releases())
    if ((await bucket.read(releaseKey(version) + manifestFile)) !== null) complete.push(version)
  return complete.sort((a, b) => b - a)
}

async function nameLatest(bucket: Bucket, [newest]: readonly number[]): Promise<void> {
  if (newest === undefined) return bucket.delete(latestObject)
  const text = `${JSON.stringify({ data_version: newest, manifest: releaseKey(newest) + manifestFile })}\n`
  if ((await bucket.read(latestObject)) !== text) await bucket.write(latestObject, text)
}

/** The manifest goes first, so that a partial release never looks complete. */
async function removeFrom(bucket: Bucket, dataVersion: number): Promise<boolean> {
  const release = releaseKey(dataVersion)
  const objects = await bucket.sizes(release)
  const isManifest = (key: string) => key === release + manifestFile
  const ordered = [...objects.keys()].sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)))
  for (const key of ordered) await bucket.delete(key)
  return ordered.length > 0
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
  const there = await bucket.sizes(release)
  const expected = new Set(files.map(({ entry }) => release + entry.path))
  // Of an interrupted publication of a release that was built again.
  for (const key of there.keys()) if (!expected.has(key)) await bucket.delete(key)
  const total = files.reduce((sum, { entry }) => sum + entry.bytes, 0)
  let done = 0
  for (const { path, entry } of files) {
    onProgress({ done, total, path: entry.path })
    if (there.get(release + entry.path) !== entry.bytes) {
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
