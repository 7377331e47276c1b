import { join } from 'node:path'
import type { Command } from 'commander'
import { Failure } from '../errors.ts'
import { buildRelease } from '../features/bulk/build.ts'
import { holdBulkLock } from '../features/bulk/bulkQueries.ts'
import { openMarkets } from '../features/bulk/openMarkets.ts'
import { type Publication, publishRelease, removePublished } from '../features/bulk/publish.ts'
import { readManifest, releasesIn, removeRelease, unfinishedIn } from '../features/bulk/release.ts'
import { loadMarkets } from '../markets/markets.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { grouped, printLine, startProgress, textTable } from './output.ts'

const buildHelp = `A release is one data version: Parquet files by market and year of filing (US-2010.parquet), compressed with zstd, and
manifest.json with the rows, bytes and SHA-256 of each file. Servers and imports keep running, and all files come from
one snapshot of the database. Figures filed after today are left out. The folder reported has whole filings by
taxonomy and year (figures-US-us-gaap-2010.parquet, lines-US-us-gaap-2010.parquet).

The same command continues an interrupted build as long as the data version is the same. The three newest releases
are kept; older ones are removed when a new one is complete. Markets whose terms have not been read in full are left
out unless ALLOW_UNVERIFIED_MARKETS names them.

With BULK_URL=s3://bucket/prefix the release is then also published to that bucket, in Hive partitions by market and
year under release=<data version>/, and latest.json names the newest one. The same command continues an interrupted
publication.

--json prints one object: the manifest, is_new, folder, published (the address, or null) and seconds. Progress is on standard error.

Settings: BULK_DIR (default DATA_DIR/bulk), BULK_SCHEDULE (times at which a server builds one by itself), BULK_URL with
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION (default us-east-1) and AWS_ENDPOINT_URL;
DATABASE_URL or DATA_DIR.

Exit code: 0 the release is complete; 1 it failed or was stopped; 2 wrong usage.

Examples:
  ./asfiled bulk build
  ./asfiled bulk build --json | jq .data_version
  BULK_DIR=/srv/bulk ./asfiled bulk build
  BULK_URL=s3://figures/asfiled ./asfiled bulk build`

const listHelp = `
--json prints one object: {"releases": [{"data_version", "as_of", "rows", "files", "bytes"}], "unfinished": [data versions]}.

Examples:
  ./asfiled bulk list
  ./asfiled bulk list --json | jq '.releases[-1].data_version'`

const removeHelp = `
A download in progress continues. The next request for the release gets status 404. With BULK_URL, the published release
is removed as well.

Example:
  ./asfiled bulk remove 41`

interface JsonFlag {
  readonly json: boolean
}

/** `bulk`: writes the files of the whole data that /api/v1/bulk serves. */
export function addBulkCommand(program: Command, context: CliContext): void {
  const command = program
    .command('bulk')
    .description('Build, list and remove bulk files: all data, as Parquet')
  command
    .command('build')
    .description('Build the release of the current data version')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', buildHelp)
    .action(async ({ json }: JsonFlag) => {
      process.exitCode = await build(context, json)
    })
  command
    .command('list')
    .description('List the releases in BULK_DIR')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', listHelp)
    .action(({ json }: JsonFlag) => list(context, json))
  command
    .command('remove')
    .description('Remove a release')
    .argument('<data version>', 'The data version that `./asfiled bulk list` shows')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', removeHelp)
    .action((version: string, { json }: JsonFlag) => remove(context, version, json))
}

async function build(context: CliContext, json: boolean): Promise<number> {
  const {
    bulkDir: folder,
    bulkBucket: bucket,
    bulkKeep,
    ignoredSettings,
    allowUnverifiedMarkets,
  } = context.config
  // Whoever set BULK_KEEP may have wanted to keep more releases, and deleting one cannot be undone.
  const keepsAll = ignoredSettings.includes('BULK_KEEP')
  if (keepsAll)
    console.error(
      `BULK_KEEP was removed. While it is set, no release is deleted; omit it to keep the latest ${bulkKeep}.`,
    )
  const markets = await loadMarkets()
  const manifests = openMarkets(markets.manifests, allowUnverifiedMarkets)
  const signal = abortOnSignal(() => 'Stopping. The same command continues.')
  const progress = startProgress('Building bulk files')
  const startedAt = performance.now()
  try {
    const keep = keepsAll ? Number.POSITIVE_INFINITY : bulkKeep
    const { manifest, isNew, published } = await context.withDatabase(async sql => {
      const built = await buildRelease({
        sql,
        folder,
        keep,
        manifests,
        signal,
        today: context.today(),
        onProgress: ({ done, total, market }) =>
          progress.update({ done, total: Math.max(total, done), note: `${market}, ${grouped(done)} rows` }),
        report: line => console.error(line),
      })
      const published =
        bucket === null
          ? null
          : await holdBulkLock(sql, () =>
              publishRelease({
                bucket,
                folder,
                manifest: built.manifest,
                keep,
                signal,
                now: context.now,
                onProgress: ({ done, total, path }) =>
                  progress.update({ done, total, note: `publishing ${path}` }),
              }),
            )
      return { ...built, published }
    })
    progress.stop()
    const { data_version, rows, files, bytes, reported = [] } = manifest
    const ofFilings = reported.map(table => `, ${grouped(table.rows)} ${table.name}`).join('')
    const seconds = (performance.now() - startedAt) / 1_000
    const rounded = Math.round(seconds * 1_000) / 1_000
    await printLine(
      json
        ? JSON.stringify({
            ...manifest,
            is_new: isNew,
            folder: join(folder, String(data_version)),
            published: published?.url ?? null,
            seconds: rounded,
          })
        : `${isNew ? 'Built' : 'Already there:'} data version ${data_version}: ${grouped(rows)} rows in ${files.length} files of ${grouped(bytes)} bytes${ofFilings}${isNew ? `, ${seconds.toFixed(1)} s` : ''}.${sayPublished(published)}`,
    )
    return exitCodes.done
  } catch (error) {
    progress.stop()
    if (!signal.aborted) throw error
    console.error('Stopped. What is whole stays; the same command continues.')
    return exitCodes.failed
  }
}

const sayPublished = (published: Publication | null) =>
  published === null ? '' : ` ${published.isNew ? 'Published' : 'Already published'}: ${published.url}`

async function list({ config: { bulkDir } }: CliContext, json: boolean): Promise<void> {
  const releases = releasesIn(bulkDir).map(version => {
    const { as_of, rows, bytes, files } = readManifest(bulkDir, version)
    return { data_version: version, as_of, rows, files: files.length, bytes }
  })
  if (json) return printLine(JSON.stringify({ releases, unfinished: unfinishedIn(bulkDir) }))
  const rows = releases.map(({ data_version, as_of, rows, files, bytes }) => [
    String(data_version),
    as_of,
    grouped(rows),
    String(files),
    grouped(bytes),
  ])
  if (rows.length === 0) await printLine(`No release in ${bulkDir}. Build one with ./asfiled bulk build.`)
  else await printLine(textTable(['data version', 'as of', 'rows', 'files', 'bytes'], rows))
  for (const version of unfinishedIn(bulkDir))
    console.error(`Data version ${version} is being built, or its build was interrupted.`)
}

async function remove(
  { config: { bulkDir, bulkBucket } }: CliContext,
  text: string,
  json: boolean,
): Promise<void> {
  const releases = releasesIn(bulkDir)
  const version = releases.find(release => String(release) === text)
  if (version === undefined)
    throw new Failure(
      'parameter_invalid',
      `There is no release ${text} in ${bulkDir}. ${releases.length === 0 ? 'There are no releases.' : `There are ${releases.join(', ')}.`}`,
    )
  // First: if the storage refuses, the same command can be run again.
  if (bulkBucket !== null) await removePublished(bulkBucket, version)
  removeRelease(bulkDir, version)
  await printLine(json ? JSON.stringify({ removed: version }) : `Removed data version ${version}.`)
}
