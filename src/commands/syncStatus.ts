import type { Command } from 'commander'
import { checkSchedule } from '../boot/syncs.ts'
import { nextTime } from '../cron.ts'
import { registerSyncs } from '../features/syncs/freshness.ts'
import { type MarketRuns, readMarketRuns } from '../features/syncs/freshnessQueries.ts'
import { sources } from '../ingest/allRegisters.ts'
import type { CliContext } from './context.ts'
import { grouped, printLine, textTable } from './output.ts'

const help = `Prints one line for each market that has ever been fetched or is in SYNC_SCHEDULE. Times are in UTC. "running" covers
the runs of every server and those started by hand. A run with --companies or --since does not count as a success for
the market.

Example:
  ./asfiled sync status --json`

/** `sync status`: how current each market is. */
export function addSyncStatusCommand(sync: Command, context: CliContext): void {
  sync
    .command('status')
    .description('Show when each register was last fetched, and what went wrong')
    .option('--json', 'Print one JSON object')
    .addHelpText('after', help)
    .action(({ json }: { json?: true }) => status(context, json === true))
}

async function status(context: CliContext, asJson: boolean): Promise<void> {
  const { syncSchedule } = context.config
  // Checked here because a market without a register would not appear in any row, and the schedule would look
  // empty.
  checkSchedule(context.config, line => console.error(line))
  const runs = await context.withDatabase(sql => readMarketRuns(sql, [...sources.keys()]))
  const rows = registerSyncs(runs, syncSchedule).map(sync => {
    const { documents = null, facts = null, dataVersion = null } = runOf(runs, sync.market)
    const cron = syncSchedule.find(({ market }) => market === sync.market)?.cron
    const next = cron === undefined ? null : instant(nextTime(cron, context.now().getTime()))
    return { ...sync, next, last_run: { documents, facts, data_version: dataVersion } }
  })
  if (asJson) return printLine(JSON.stringify({ object: 'sync_status', data: rows }, null, 2))
  if (rows.length === 0)
    return printLine('No register was ever fetched, and SYNC_SCHEDULE is empty. See ./asfiled sync --help.')
  const head = ['market', 'schedule', 'next', 'state', 'last success', 'age', 'documents', 'facts']
  const lines = rows.map(row => [
    row.market,
    row.schedule ?? '-',
    row.next ?? '-',
    row.running ? 'running' : '-',
    row.last_success ?? 'never',
    row.age_hours === null ? '-' : age(row.age_hours),
    shown(row.last_run.documents),
    shown(row.last_run.facts),
  ])
  await printLine(textTable(head, lines))
  for (const { market, last_failure: failure } of rows)
    if (failure !== null) await printLine(`${market} last failed at ${failure.at}: ${failure.reason}`)
}

const runOf = (runs: readonly MarketRuns[], market: string): Partial<MarketRuns> =>
  runs.find(run => run.market === market) ?? {}

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`
const shown = (number: number | null) => (number === null ? '-' : grouped(number))
const age = (hours: number) => (hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`)
