import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import packageFile from '../../package.json'
import type { IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { busyExitCode } from '../features/syncs/dueRuns.ts'
import { registers, sources } from '../ingest/allRegisters.ts'
import { defaultFetchPolicy, type Network } from '../ingest/network/fetchPolicy.ts'
import { type RegisterSettings, requiredSetting, type Source } from '../ingest/network/source.ts'
import { openArchive } from '../ingest/sync/archive.ts'
import { SyncBusy, type SyncSummary, syncRegister } from '../ingest/sync/syncRegister.ts'
import type { Manifest } from '../markets/manifest.ts'
import { loadMarkets } from '../markets/markets.ts'
import { writeInBulk } from './bulkWrite.ts'
import { readIssuerNumbers } from './companyLists.ts'
import { abortOnSignal, type CliContext } from './context.ts'
import { reportSync } from './ingestReport.ts'
import { parseDay } from './options.ts'
import { grouped } from './output.ts'
import { recordedSync } from './syncRun.ts'
import { addSyncStatusCommand } from './syncStatus.ts'

const help = `Responses of the register are stored unchanged in DATA_DIR/registers/<market>/<day> and imported from there. A stored
response is not requested again. Nothing is lost if you press Ctrl-C, the command crashes or the register stops
responding: run the same command again to continue.

Exit code: 0 everything was fetched and read; 1 something was skipped (each is named), or the run was stopped; 2 wrong
usage.`

interface SyncFlags {
  readonly since?: IsoDate
  readonly companies?: string
  /** Set if a server's schedule started the run. */
  readonly scheduled?: true
}

/** `sync <market>`: one command for each register with an online source. */
export function addSyncCommand(program: Command, context: CliContext): void {
  const command = program
    .command('sync')
    .description('Fetch new filings from a register and import them, or show when that was last done')
  addSyncStatusCommand(command, context)
  for (const source of sources.values()) {
    const market = source.market.toLowerCase()
    const settings =
      source.requiredSettings.length > 0
        ? `\nSettings: ${source.requiredSettings.join(', ')} (see .env.example).`
        : ''
    const own = command
      .command(market)
      .description(`Fetch from ${source.name}`)
      .option('--since <date>', 'Start from this day instead of where the last run stopped', parseDay)
      .addOption(new Option('--scheduled', 'Run by the schedule of a server').hideHelp())
    if (source.companies !== 'none')
      own.option(
        '--companies <file>',
        "Only these companies: a file of the register's own numbers, one per line",
      )
    own
      .addHelpText('after', `${source.help}${settings}\n${help}\n\nExample:\n  ./asfiled sync ${market}`)
      .action(async (flags: SyncFlags) => {
        process.exitCode = await run(context, source, flags)
      })
  }
}

async function run(
  context: CliContext,
  source: Source,
  { since, companies: companiesFile, scheduled }: SyncFlags,
): Promise<number> {
  const isScheduled = scheduled === true
  const { registers: settings, dataDir, ignoredSettings } = context.config
  requireNoRemovedAddress(settings, ignoredSettings)
  if (since !== undefined && since > context.today())
    throw new Failure('parameter_invalid', `--since ${since} is in the future. Give a day up to today.`, {
      param: 'since',
    })
  const manifest = (await loadMarkets()).get(source.market)
  if (manifest === undefined) throw new Error(`There is no manifest for ${source.market}.`)
  const companies = companiesFile === undefined ? [] : await readIssuerNumbers(companiesFile, manifest)
  const signals = [abortOnSignal(() => 'Stopping after the work in progress.')]
  const server = isScheduled ? watchServer() : null
  if (server !== null) signals.push(server.signal)
  const signal = AbortSignal.any(signals)
  const isPartial = since !== undefined || companies.length > 0
  try {
    const done = await writeInBulk(context, `Fetching ${source.market}`, (sql, progress) => {
      let summary: SyncSummary | null = null
      return recordedSync(sql, { market: source.market, isScheduled, isPartial }, signal, onSummary =>
        syncRegister(
          sql,
          {
            source,
            settings,
            since: since ?? null,
            companies,
            signal,
            network: realNetwork,
            fetchPolicy: {
              ...defaultFetchPolicy,
              requestsPerSecond: manifest.sync.requests_per_second,
              userAgent: userAgentOf(manifest, source, settings),
            },
            register: registers.get(source.market),
            archive: openArchive(join(dataDir, 'registers')),
            today: context.today,
            newId: randomUUID,
            onProgress: () => summary && progress.update(progressOf(summary)),
            log: line => console.error(line),
          },
          async growing => {
            summary = growing
            await onSummary(growing)
          },
        ),
      )
    })
    return reportSync(source, done, registers.has(source.market))
  } catch (error) {
    if (!isScheduled || !(error instanceof SyncBusy)) throw error
    console.error(error.message)
    return busyExitCode
  } finally {
    server?.close()
  }
}

/** Fails if the environment still sets the address of a register, as earlier versions allowed, but not the
 * mirror that replaces this setting. An operator who redirected requests must not send them, with
 * credentials, to the real register without noticing. */
function requireNoRemovedAddress(settings: RegisterSettings, ignored: readonly string[]): void {
  const removed = ignored.filter(name => name in settings)
  if (removed.length === 0 || settings.REGISTERS_URL !== '') return
  throw new Failure(
    'parameter_invalid',
    `These settings were removed, so this would fetch from the registers themselves: ${removed.join(', ')}. Omit them, or set REGISTERS_URL to a mirror of all registers.`,
    { param: removed[0] },
  )
}

/** Aborted when the server that started this run has ended: it holds the other end of standard input. */
function watchServer(): { readonly signal: AbortSignal; close(): void } {
  const controller = new AbortController()
  const end = () => controller.abort()
  process.stdin.on('end', end).on('close', end).on('error', end).resume()
  return { signal: controller.signal, close: () => process.stdin.destroy() }
}

function progressOf({ fetched, imported }: SyncSummary) {
  const done = fetched.requests + fetched.cached
  const note = `${grouped(fetched.saved)} new, ${grouped(imported.factsAdded)} facts`
  return { done, total: Math.max(fetched.expected, done), note }
}

/** Includes the operator's contact if the register requires it, otherwise only the product. */
function userAgentOf({ sync }: Manifest, source: Source, settings: RegisterSettings): string {
  const product = `asfiled/${packageFile.version}`
  if (sync.user_agent === 'product' || source.contactSetting === null || !settings[source.contactSetting])
    return product
  const contact = requiredSetting(settings, source.contactSetting)
  if (!/\S+@\S+\.\S+/.test(contact))
    throw new Failure(
      'parameter_invalid',
      `${source.contactSetting} must contain a name and an e-mail address: "Firm Name admin@firm.example".`,
    )
  return `${contact} ${product}`
}

/** The only place with the real network, clock and randomness. */
const realNetwork: Network = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    }),
}
