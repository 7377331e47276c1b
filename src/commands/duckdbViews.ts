import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Command } from 'commander'
import { Failure, reasonOf } from '../errors.ts'
import { manifestFile, releaseFolder, releasesIn, reportedFolder } from '../features/bulk/release.ts'
import { duckdbViews, ViewedManifest } from '../features/duckdbViews/viewsFile.ts'
import { loadMarkets } from '../markets/markets.ts'
import type { CliContext } from './context.ts'
import { parsePositiveInteger } from './options.ts'
import { printLine, requireFolder, writeFileAtomically } from './output.ts'

const help = `
The release is a folder with its manifest.json: one that ./asfiled bulk build made (the default is the newest in BULK_DIR),
or a download. With --url, DuckDB reads the files from a server by its httpfs extension, a few ranges per query.

Views: asfiled.figures, companies, metrics, release, licences, reported_figures, reported_lines. Macros:
  asfiled.as_of(day, metric := null)        Vintages that were current at the end of a day
  asfiled.history(day, metric := null)      Every vintage filed by the day
  asfiled.first_filed(day, metric := null)  Each figure as it was first filed
  asfiled.latest(day, fp := 'FY', metric := null)
                                            One figure for each company and metric
  asfiled.panel(rows, metrics, fp := 'FY', inclusive := false, max_age_days := null)
                                            As-of join of the table named rows, which has columns entity and date
  asfiled.panel_at(rows, metrics, fp := 'FY', max_age_days := null)
                                            The same with a column time
  asfiled.reported_as_of(day, tag := null)  Figures as the filings state them

They follow the rule of joins (docs/joins-and-mirrors.md). A day after the end of the release is an error.

The key is not written to the file, which says how to give it to DuckDB. --with-key writes the key of ASFILED_KEY
into it, and makes the file readable for you alone.

Settings: BULK_DIR (default DATA_DIR/bulk), ASFILED_KEY (with --url; default: demo, which has no bulk files).

Exit code: 0 written; 1 failed; 2 wrong usage.

Examples:
  ./asfiled duckdb-views --output asfiled.sql && duckdb -init asfiled.sql
  ASFILED_KEY=asf_live_... ./asfiled duckdb-views --url https://data.example.com --output asfiled.sql
  ./asfiled duckdb-views downloads/41 | duckdb figures.duckdb`

interface Flags {
  readonly url?: string
  readonly release?: number
  readonly withKey?: true
  readonly output?: string
}

/** `duckdb-views`: SQL that answers as-of questions from bulk files. */
export function addDuckdbViewsCommand(program: Command, context: CliContext): void {
  program
    .command('duckdb-views')
    .description('Write DuckDB views and as-of macros over bulk files')
    .argument('[folder]', 'Folder of a release (default: the newest release in BULK_DIR)')
    .option('--url <address>', 'Read the files from this server instead')
    .option('--release <version>', 'With --url: the release (default: the newest)', parsePositiveInteger)
    .option('--with-key', 'With --url: write the key into the file')
    .option('--output <file>', 'Write to this file (default: standard output)')
    .addHelpText('after', help)
    .action((folder: string | undefined, flags: Flags) => write(context, folder, flags))
}

async function write({ config }: CliContext, folder: string | undefined, flags: Flags): Promise<void> {
  const { url, release, withKey, output } = flags
  if (url === undefined && (release !== undefined || withKey !== undefined))
    throw new Failure(
      'parameter_invalid',
      `${withKey === undefined ? '--release' : '--with-key'} requires --url. For a local release, name its folder.`,
    )
  if (url !== undefined && folder !== undefined)
    throw new Failure('parameter_invalid', `Give either the folder ${folder} or --url, not both.`)
  if (withKey !== undefined && output === undefined)
    throw new Failure('parameter_invalid', '--with-key requires --output, so that the key is not printed.')
  if (output !== undefined) await requireFolder('--output', output)
  const markets = await loadMarkets()
  if (url === undefined) {
    const path = folder === undefined ? newestIn(config.bulkDir) : resolve(folder)
    const text = await duckdbViews(localManifest(path), { kind: 'folder', path }, markets)
    return output === undefined ? printLine(text) : writeFileAtomically(output, text)
  }
  const manifest = await servedManifest(url, release, config.agentKey)
  const place = {
    kind: 'address',
    url: `${bulkAddress(url)}/${manifest.data_version}`,
    key: withKey === undefined ? null : config.agentKey,
  } as const
  const text = await duckdbViews(manifest, place, markets)
  if (output === undefined) await printLine(text)
  else await writeFileAtomically(output, text, withKey === undefined ? undefined : ownerOnly)
}

const ownerOnly = 0o600

function newestIn(bulkDir: string): string {
  const [newest] = releasesIn(bulkDir)
  if (newest === undefined)
    throw new Failure(
      'parameter_invalid',
      `There is no release in ${bulkDir}. Build one with ./asfiled bulk build, or name the folder of a download.`,
    )
  return resolve(releaseFolder(bulkDir, newest))
}

function localManifest(path: string): ViewedManifest {
  const file = join(path, manifestFile)
  if (!existsSync(file))
    throw new Failure(
      'parameter_invalid',
      `${path} is not the folder of a release: it has no ${manifestFile}. A release has one, next to files like US-2010.parquet.`,
    )
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Failure('parameter_invalid', `${file} is damaged: ${reasonOf(cause)} Download it again.`, {
      cause,
    })
  }
  const found = checkedManifest(manifest, file)
  const missing = found.files.find(one => !existsSync(join(path, one.path)))
  if (missing !== undefined)
    throw new Failure('parameter_invalid', `${path} lacks ${missing.path}. Complete the download first.`)
  const { reported = [], ...rest } = found
  const hasReported = reported.every(({ files }) =>
    files.every(file => existsSync(join(path, reportedFolder, file.path))),
  )
  return hasReported ? found : rest
}

const manifestCheck = TypeCompiler.Compile(ViewedManifest)

function checkedManifest(manifest: unknown, source: string): ViewedManifest {
  const fault = manifestCheck.Errors(manifest).First()
  if (fault !== undefined || !manifestCheck.Check(manifest))
    throw new Failure(
      'parameter_invalid',
      `${source} is not the manifest of a release: ${fault?.path ?? ''} ${fault?.message ?? ''}.`,
    )
  if (manifest.files.length === 0)
    throw new Failure('parameter_invalid', `${source} lists no files: the release has no figures.`)
  return manifest
}

const bulkAddress = (url: string) => `${url.replace(/\/+$/, '')}/api/v1/bulk`

async function servedManifest(
  url: string,
  release: number | undefined,
  key: string,
): Promise<ViewedManifest> {
  if (!/^https?:\/\/[^/?#@'\s]+\/?$/.test(url))
    throw new Failure(
      'parameter_invalid',
      `--url ${url.replace(/\/\/.*@/, '//...@')} is not an address like https://data.example.com.`,
    )
  const root = bulkAddress(url)
  const version = release ?? newestOf(await fetchJson(root, key), root)
  const address = `${root}/${version}/${manifestFile}`
  return checkedManifest(await fetchJson(address, key), address)
}

function newestOf(list: unknown, address: string): number {
  if (listCheck.Check(list)) {
    const [newest] = list.releases
    if (newest !== undefined) return newest.data_version
    throw new Failure(
      'entity_unknown',
      `The server has no release. Its operator builds one with ./asfiled bulk build.`,
    )
  }
  throw new Failure('parameter_invalid', `${address} is not a list of releases. Is --url an asfiled server?`)
}

const listCheck = TypeCompiler.Compile(
  Type.Object({ releases: Type.Array(Type.Object({ data_version: Type.Integer({ minimum: 0 }) })) }),
)

const timeoutMs = 30_000

async function fetchJson(address: string, key: string): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(address, {
      headers: { Authorization: `Bearer ${key}` },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
  } catch (cause) {
    throw new Failure('internal', `${address} does not answer: ${reasonOf(cause)}`, { cause })
  }
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return body
  const reason = refusalCheck.Check(body) ? body.error.message : `status ${response.status}`
  throw new Failure('parameter_invalid', `${address} refused: ${reason}`)
}

const refusalCheck = TypeCompiler.Compile(Type.Object({ error: Type.Object({ message: Type.String() }) }))
