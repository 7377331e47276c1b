import { S3Client } from 'bun'
import { Failure } from '../../errors.ts'

/** S3-compatible storage, with the settings that its other clients also read. */
export interface BucketSettings {
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** null: Amazon's. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** null: the key is a permanent one. */
  readonly sessionToken: string | null
}

export interface StoredObject {
  readonly bytes: number
  /** When the storage got it, by its clock; NaN if it does not say. */
  readonly writtenMs: number
}

/** A request that takes longer fails: a small one, and one that sends a file, by its size. */
const requestSeconds = 60
const slowestBytesPerSecond = 200_000
const maxObjects = 1_000_000

const releaseShape = /(?:^|\/)release=(0|[1-9]\d{0,9})\/$/

export const releaseKey = (dataVersion: number) => `release=${dataVersion}/`

/** The bucket of BULK_URL. Keys are relative to its prefix. */
export class Bucket {
  /** Like `s3://bucket/prefix/`. */
  readonly url: string
  readonly #settings: BucketSettings
  readonly #client: S3Client
  readonly #signal: AbortSignal

  constructor(settings: BucketSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
    this.url = `s3://${settings.bucket}/${settings.prefix}`
    const { bucket, endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings
    this.#client = new S3Client({
      bucket,
      region,
      accessKeyId,
      secretAccessKey,
      ...(endpoint === null ? {} : { endpoint }),
      ...(sessionToken === null ? {} : { sessionToken }),
    })
  }

  /** The text of an object, or null if there is none. */
  read(key: string): Promise<string | null> {
    return this.#bounded(key, () =>
      this.#client
        .file(this.#settings.prefix + key)
        .text()
        .catch(error => {
          if (codeOf(error) === 'NoSuchKey') return null
          throw error
        }),
    )
  }

  async write(key: string, content: string): Promise<void> {
    await this.#bounded(key, () => this.#client.write(this.#settings.prefix + key, content))
  }

  /** Sends a file, in parts if it is large. */
  async writeFile(key: string, path: string, bytes: number): Promise<void> {
    const sent = await this.#bounded(
      key,
      () => this.#client.write(this.#settings.prefix + key, Bun.file(path)),
      bytes,
    )
    if (sent !== bytes)
      throw new Failure('internal', `${this.url}${key} has ${sent} bytes, and its file has ${bytes}.`)
  }

  async delete(key: string): Promise<void> {
    await this.#bounded(key, () => this.#client.delete(this.#settings.prefix + key))
  }

  /** The objects whose keys begin with this. */
  async objects(start: string): Promise<ReadonlyMap<string, StoredObject>> {
    const { prefix } = this.#settings
    const found = new Map<string, StoredObject>()
    for await (const { contents = [] } of this.#pages(start, {}))
      for (const { key, size = 0, lastModified = '' } of contents)
        found.set(key.slice(prefix.length), { bytes: size, writtenMs: Date.parse(lastModified) })
    return found
  }

  /** The data versions of the releases that are here in whole or in part. */
  async releases(): Promise<readonly number[]> {
    const found: number[] = []
    for await (const { commonPrefixes = [] } of this.#pages('release=', { delimiter: '/' }))
      for (const { prefix } of commonPrefixes) {
        const version = releaseShape.exec(prefix)?.[1]
        if (version !== undefined) found.push(Number(version))
      }
    return found
  }

  async *#pages(start: string, options: { delimiter?: string }) {
    const prefix = this.#settings.prefix + start
    let continuationToken: string | undefined
    for (let objects = 0; objects < maxObjects; ) {
      const page = await this.#bounded(start, () =>
        this.#client.list({
          prefix,
          ...options,
          ...(continuationToken === undefined ? {} : { continuationToken }),
        }),
      )
      yield page
      if (page.isTruncated !== true || page.nextContinuationToken === undefined) return
      objects += (page.contents?.length ?? 0) + (page.commonPrefixes?.length ?? 0)
      continuationToken = page.nextContinuationToken
    }
    throw new Failure(
      'conflict',
      `${this.url}${start} has more than ${maxObjects} objects. Set BULK_URL to a prefix that has only releases.`,
    )
  }

  /** Fails when the storage takes too long, and ends at once when the command is stopped. */
  async #bounded<T>(key: string, request: () => Promise<T>, bytes = 0): Promise<T> {
    this.#signal.throwIfAborted()
    const seconds = requestSeconds + bytes / slowestBytesPerSecond
    const ended = AbortSignal.any([this.#signal, AbortSignal.timeout(seconds * 1_000)])
    const stopped = Promise.withResolvers<never>()
    const stop = () => stopped.reject(ended.reason)
    ended.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([request(), stopped.promise])
    } catch (error) {
      this.#signal.throwIfAborted()
      throw this.#explain(key, error, seconds)
    } finally {
      ended.removeEventListener('abort', stop)
    }
  }

  #explain(key: string, error: unknown, seconds: number): Failure {
    const code = codeOf(error)
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const fault = isLate
      ? `did not answer within ${Math.round(seconds)} seconds`
      : `refused (${code === '' ? 'without a reason' : code})`
    const { bucket, endpoint } = this.#settings
    return new Failure(
      'conflict',
      `The storage of BULK_URL ${fault}: ${this.url}${key}${endpoint === null ? '' : ` at ${endpoint}`}. ${adviceOn(code, bucket)} The release in BULK_DIR is complete; the same command continues its publication.`,
      { cause: error },
    )
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

function adviceOn(code: string, bucket: string): string {
  switch (code) {
    case 'NoSuchBucket':
      return `Create the bucket ${bucket}.`
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'ERR_S3_MISSING_CREDENTIALS':
      return 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
    case 'AuthorizationHeaderMalformed':
      return 'Check AWS_REGION.'
    case 'AccessDenied':
      return `The key needs to list, read, write and delete objects of ${bucket}.`
    default:
      return 'Check AWS_ENDPOINT_URL and the connection to it.'
  }
}
