import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { contentTypes, dataHeaders, encodedAnswer, jsonType, notModified } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { parquetMedia } from '../../http/docs/responses.ts'
import { entityTag } from '../../http/etag.ts'
import { answerHeaders } from '../../http/headers.ts'
import { noQuery, pathReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { BulkList, BulkManifestSchema } from './answerSchema.ts'
import { fileAnswer } from './fileAnswer.ts'
import {
  type BulkFileEntry,
  type BulkManifest,
  manifestFile,
  readManifest,
  releaseFolder,
  releasesIn,
  reportedFolder,
} from './release.ts'

interface BulkDeps {
  /** The folder with this server's releases. */
  readonly folder: string
  readonly dataVersion: () => number
}

const path = '/api/v1/bulk'
const latest = 'latest'
const sumsFile = 'SHA256SUMS'
/** Apart from the other list, so that programs which download all of that one get what they always did. */
const reportedSumsFile = 'SHA256SUMS.reported'
const textType = 'text/plain; charset=utf-8'

const BulkParams = Type.Object({
  version: Type.String({
    pattern: `^(0|[1-9][0-9]{0,9}|${latest})$`,
    allowed: 'the data version of a release, as GET /api/v1/bulk lists it, or latest',
    description: 'The data version of a release. `latest` redirects to the newest one.',
    examples: ['1'],
  }),
  file: Type.String({
    pattern: '^[A-Za-z0-9.-]{1,64}$',
    allowed:
      'manifest.json, SHA256SUMS, SHA256SUMS.reported, or the path of a file in the manifest like US-2010.parquet',
    description: '`manifest.json`, a `path` of it, `SHA256SUMS` or `SHA256SUMS.reported`.',
    examples: [manifestFile],
  }),
})
const readVersion = pathReader('version', BulkParams.properties.version)
const readFile = pathReader('file', BulkParams.properties.file)

/** GET /api/v1/bulk and its subpaths: the whole data as Parquet files, one release per data version. */
export function bulkRoutes(http: HttpPlugin, deps: BulkDeps) {
  return new Elysia({ name: 'bulk' })
    .use(http)
    .get(
      path,
      ({ context }) => {
        context.authenticatedCaller.rights.requireBulk('Bulk files')
        noQuery(context)
        return listReleases(deps, context)
      },
      { ...listOperation },
    )
    .get(
      `${path}/:version/:file`,
      ({ context }) => {
        context.authenticatedCaller.rights.requireBulk('Bulk files')
        noQuery(context)
        const [version = '', file = ''] = context.path.slice(path.length + 1).split('/')
        return answerFile(deps, context, readVersion(version), readFile(file))
      },
      { ...fileOperation },
    )
}

async function listReleases({ folder, dataVersion }: BulkDeps, context: RequestContext): Promise<Answer> {
  const releases = releasesIn(folder).flatMap(version => {
    const found = manifestOf(folder, version)
    if (found === null) return []
    const { data_version, as_of, rows, bytes, files } = found
    const manifest = `${path}/${version}/${manifestFile}`
    return [{ data_version, as_of, rows, bytes, files: files.length, manifest }]
  })
  const text = JSON.stringify({
    object: 'bulk_list',
    data_version: dataVersion(),
    count: releases.length,
    releases,
  })
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return notModified(context, headers) ?? encodedAnswer(context, text, headers)
}

function answerFile(
  { folder }: BulkDeps,
  { request }: RequestContext,
  version: string,
  file: string,
): Answer | Promise<Answer> {
  const releases = releasesIn(folder)
  if (version === latest) return toLatest(releases, file)
  const release = releases.find(known => String(known) === version)
  if (release === undefined) throw noRelease(releases, version)
  const manifest = manifestOf(folder, release)
  if (manifest === null) throw noRelease(without(releases, release), version)
  // The path on disk is built from names in the manifest, never from the request.
  const releasePath = releaseFolder(folder, release)
  const found = fileOf(manifest, releasePath, file)
  const name = `asfiled-${release}-`
  if (found !== null) {
    const { entry, folder: entryFolder } = found
    const { bytes, sha256: digest } = entry
    const type = contentTypes.parquet
    return fileAnswer(request, {
      content: Bun.file(join(entryFolder, entry.path)),
      bytes,
      type,
      digest,
      name: name + entry.path,
      hasParts: true,
    })
  }
  if (file === manifestFile || file === sumsFile || file === reportedSumsFile)
    return describingFile(request, manifest, releasePath, file)
  throw new Failure(
    'entity_unknown',
    `Release ${release} has no file ${file}. Its files are in ${path}/${release}/${manifestFile}.`,
    { param: 'file' },
  )
}

/** The file of a manifest with this name, and the folder in which it is. */
function fileOf(
  manifest: BulkManifest,
  releasePath: string,
  file: string,
): { readonly entry: BulkFileEntry; readonly folder: string } | null {
  const entry = manifest.files.find(({ path: known }) => known === file)
  if (entry !== undefined) return { entry, folder: releasePath }
  const whole = reportedIn(manifest).find(({ path: known }) => known === file)
  return whole === undefined ? null : { entry: whole, folder: join(releasePath, reportedFolder) }
}

const reportedIn = (manifest: BulkManifest): readonly BulkFileEntry[] =>
  (manifest.reported ?? []).flatMap(({ files }) => files)

/**
 * The manifest or the list of digests. Always sent whole: a client that resumed `latest` after a newer
 * release would join halves of two files.
 */
async function describingFile(
  request: Request,
  manifest: BulkManifest,
  releasePath: string,
  file: string,
): Promise<Answer> {
  // Read into memory, because Bun applies Range by itself when it sends a file.
  const stored = await Bun.file(join(releasePath, manifestFile)).bytes()
  const isManifest = file === manifestFile
  const listed = file === sumsFile ? manifest.files : reportedIn(manifest)
  const content = new Blob([isManifest ? stored : sumsOf(listed, stored)])
  return fileAnswer(request, {
    content,
    bytes: content.size,
    type: isManifest ? jsonType : textType,
    digest: `${manifest.data_version}-${manifest.as_of}-${stored.length}-${manifest.bytes}`,
    name: `asfiled-${manifest.data_version}-${file}`,
    hasParts: false,
  })
}

/** The input of `sha256sum --check`: the digest and name of each file and of the manifest. */
function sumsOf(files: readonly BulkFileEntry[], stored: Uint8Array): string {
  const ofManifest = new Bun.CryptoHasher('sha256').update(stored).digest('hex')
  const lines = [...files, { sha256: ofManifest, path: manifestFile }]
  return lines.map(({ sha256, path: name }) => `${sha256}  ${name}\n`).join('')
}

/** Releases never change, so each is read once. */
const manifests = new Map<string, BulkManifest>()
const maxManifests = 64

/**
 * Null if the release was removed after the folder was listed or its manifest is unreadable. It then counts
 * as absent.
 */
function manifestOf(folder: string, release: number): BulkManifest | null {
  try {
    // The modification time distinguishes a release that was removed and built again.
    const { mtimeMs } = statSync(join(releaseFolder(folder, release), manifestFile))
    const key = `${folder} ${release} ${mtimeMs}`
    const known = manifests.get(key)
    if (known !== undefined) return known
    if (manifests.size >= maxManifests) manifests.clear()
    const manifest = readManifest(folder, release)
    manifests.set(key, manifest)
    return manifest
  } catch {
    return null
  }
}

const without = (releases: readonly number[], release: number) => releases.filter(other => other !== release)

function toLatest(releases: readonly number[], file: string): Answer {
  const newest = releases.at(0)
  if (newest === undefined) throw noRelease(releases, latest)
  const headers = { Location: `${path}/${newest}/${encodeURIComponent(file)}`, 'Cache-Control': 'no-store' }
  return { status: 302, headers: answerHeaders(headers), body: null }
}

function noRelease(releases: readonly number[], version: string): Failure {
  const there =
    releases.length === 0
      ? 'There is none on this server: its operator builds one with ./asfiled bulk build, or has the servers share BULK_DIR.'
      : `This server has ${releases.join(', ')}. Older ones are removed when newer ones are whole: take ${path}/${latest}/${manifestFile}.`
  return new Failure('entity_unknown', `There is no bulk release ${version}. ${there}`, { param: 'version' })
}

const bulkErrors = ['parameter_invalid', 'licence_required', 'entity_unknown'] as const

const listOperation = operation({
  id: 'listBulkReleases',
  tag: 'Bulk',
  summary: 'Releases of bulk files',
  description:
    'The releases on this server, the newest first. Each is everything that the service has at one data version, as Parquet files by market and year of `filed`. Requires the redistribution licence, or an OEM licence whose order form includes it.',
  access: 'key',
  answer: {
    schema: BulkList,
    description: 'The releases, the newest first.',
    examples: { releases: { summary: 'One release', value: answers.bulk } },
  },
  errors: bulkErrors,
  data: true,
})

const sumsMedia = {
  schema: { type: 'string' },
  examples: {
    sums: {
      summary: 'SHA256SUMS',
      value: answers.bulk_manifest.files.map(({ sha256, path: name }) => `${sha256}  ${name}\n`).join(''),
    },
  },
}

const fileOperation = operation({
  id: 'getBulkFile',
  tag: 'Bulk',
  summary: 'A file of a release',
  description:
    '`manifest.json` names the files of a release with rows, bytes and SHA-256, the columns, the terms and the attribution; the files are next to it. `SHA256SUMS` has the digests as `sha256sum --check` reads them. `reported` of the manifest names further files with whole filings, by taxonomy and year: every figure as it was filed, and the lines of the statements. `SHA256SUMS.reported` has their digests. A release never changes. Ranges, `If-Range` and `If-None-Match` are honoured for the Parquet files, so an interrupted download continues (`curl -C -`); the ETag is the digest. The manifest and `SHA256SUMS` are always sent whole. `latest` in place of the data version redirects to the newest release. With `since=<data_version>` of the manifest the change feed continues where the release ends.',
  access: 'key',
  path: BulkParams,
  example: { version: 'latest', file: manifestFile },
  answer: {
    schema: BulkManifestSchema,
    description: 'The manifest, the digests, or the bytes of a file.',
    examples: { manifest: { summary: 'The manifest of a release', value: answers.bulk_manifest } },
    media: { 'text/plain': sumsMedia, ...parquetMedia('A file of the release.') },
    headers: ['Content-Disposition', 'Accept-Ranges'],
  },
  parts: parquetMedia('A part of a file.'),
  redirect: 'With `latest`: Location is the same file of the newest release.',
  errors: bulkErrors,
  data: true,
})
