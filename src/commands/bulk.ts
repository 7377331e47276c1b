import type { Command } from 'commander'
import { Failure } from '../errors.ts'
import { openMarkets } from '../features/bulk/access.ts'
import { buildRelease } from '../features/bulk/build.ts'
import { readManifest, releasesIn, removeRelease, unfinishedIn } from '../features/bulk/release.ts'
import { loadMarkets } from '../markets/markets.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { grouped, printLine, startProgress, textTable } from './output.ts'

const buildHelp = `
One release is one data version: Parquet files by market and year of filing (US-2010.parquet), compressed with zstd, and
manifest.json with rows, bytes and SHA-256 of each file. Servers and imports continue meanwhile; the files are of one
snapshot of the database. Figures filed after today are left out.

A build that was interrupted is continued by the same command, as long as the data version is the same. BULK_KEEP releases
stay (the newest); the others are removed when a new one is whole. Markets whose terms are not read in full are left out
unless ALLOW_UNVERIFIED_MARKETS names them.

Settings: BULK_DIR (default DATA_DIR/bulk), BULK_KEEP, BULK_SCHEDULE (times at which a server builds by itself), DATABASE_URL
or DATA_DIR.

Exit code: 0 the release is whole; 1 it failed or was stopped; 2 wrong usage.

Examples:
  ./asfiled bulk build
  BULK_DIR=/srv/bulk BULK_KEEP=2 ./asfiled bulk build`

const listHelp = `
Example:
  ./asfiled bulk list`

const removeHelp = `
A download in progress goes on; the next request for the release is answered with 404.

Example:
  ./asfiled bulk remove 41`

/** `bulk`: files of everything, which /api/v1/bulk serves. */
export function addBulkCommand(program: Command, context: CliContext): void {
  const command = program
    .command('bulk')
    .description('Build, list and remove bulk files: everything, as Parquet')
  command
    .command('build')
    .description('Build the release of the present data version')
    .addHelpText('after', buildHelp)
    .action(async () => {
      process.exitCode = await build(context)
    })
  command
    .command('list')
    .description('List the releases in BULK_DIR')
    .addHelpText('after', listHelp)
    .action(() => list(context))
  command
    .command('remove')
    .description('Remove a release')
    .argument('<data version>', 'As bulk list shows it')
    .addHelpText('after', removeHelp)
    .action((version: string) => remove(context, version))
}

async function build(context: CliContext): Promise<number> {
  const { bulkDir: folder, bulkKeep: keep, allowUnverifiedMarkets } = context.config
  const markets = await loadMarkets()
  const manifests = openMarkets(markets.manifests, allowUnverifiedMarkets)
  const signal = abortOnSignal(() => 'Stopping. The same command continues.')
  const progress = startProgress('Building bulk files')
  const startedAt = performance.now()
  try {
    const { manifest, isNew } = await context.withDatabase(sql =>
      buildRelease({
        ...{ sql, folder, keep, manifests, signal, today: context.today() },
        onProgress: ({ done, total, market }) =>
          progress.update({ done, total: Math.max(total, done), note: `${market}, ${grouped(done)} rows` }),
        report: line => console.error(line),
      }),
    )
    progress.stop()
    const { data_version, rows, files, bytes } = manifest
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    await printLine(
      `${isNew ? 'Built' : 'Already there:'} data version ${data_version}: ${grouped(rows)} rows in ${files.length} files of ${grouped(bytes)} bytes${isNew ? `, ${seconds} s` : ''}.`,
    )
    return exitCodes.done
  } catch (error) {
    progress.stop()
    if (!signal.aborted) throw error
    console.error('Stopped. The markets that are whole stay; the same command continues.')
    return exitCodes.failed
  }
}

async function list({ config: { bulkDir } }: CliContext): Promise<void> {
  const rows = releasesIn(bulkDir).map(version => {
    const { as_of, rows, bytes, files } = readManifest(bulkDir, version)
    return [String(version), as_of, grouped(rows), String(files.length), grouped(bytes)]
  })
  if (rows.length === 0) await printLine(`No release in ${bulkDir}. Build one with ./asfiled bulk build.`)
  else await printLine(textTable(['data version', 'as of', 'rows', 'files', 'bytes'], rows))
  for (const version of unfinishedIn(bulkDir))
    console.error(`Data version ${version} is being built, or its build was interrupted.`)
}

async function remove({ config: { bulkDir } }: CliContext, text: string): Promise<void> {
  const releases = releasesIn(bulkDir)
  const version = releases.find(release => String(release) === text)
  if (version === undefined)
    throw new Failure(
      'parameter_invalid',
      `There is no release ${text} in ${bulkDir}. ${releases.length === 0 ? 'There is none at all.' : `There are ${releases.join(', ')}.`}`,
    )
  removeRelease(bulkDir, version)
  await printLine(`Removed data version ${version}.`)
}
