import { extname, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type AuditState, auditStates } from '../backtest/audit/states.ts'
import { Failure } from '../errors.ts'
import { type AuditFormat, type AuditHead, auditFormats } from '../features/audits/schema.ts'
import { auditRequest } from './auditFile.ts'
import {
  type AuditFlags,
  auditSettings,
  blamesAuditOption,
  inAuditOptions,
  parseStates,
} from './auditOptions.ts'
import { type AuditServer, auditOnServer, type ServedAudit } from './auditServer.ts'
import { auditSummary } from './auditSummary.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { openInput, readInput } from './inputFile.ts'
import { parsePositiveInteger } from './options.ts'
import { grouped, printLine, requireFolder, startProgress, writeFileAtomically } from './output.ts'

const help = `
FILE is CSV, NDJSON, JSON, Parquet or an Arrow stream, plain or gzipped; - is standard input. The format is
recognised. It has a column date (or time), a column ticker, and columns of figures, such as revenue. JSON is an object of
columns, a list of rows, or the body of POST /api/v1/audits.

Each cell gets a state: known, rounded (known, but rounded), announced (filed later, but an earnings release was out),
stale (an older figure), restated (a later restatement), early (first filed later), other_company, no_match, not_covered.
What a column contains, its kind of period, scale and sign are found from its name and its values, or set with --column:
  --column NAME=METRIC[,fp=FY|Q|TTM|latest][,scale=1e6][,sign=-1][,splits=as_filed|adjusted][,currency=USD]
Only the columns named so are audited. If there is a column forward_return, the report says what looking ahead would have
earned (quant plan).

The audit runs on a server, with the licence and limits of the key; more than 200,000 rows run as a job.

Settings: ASFILED_URL (the server; default: that of HOST and PORT) and ASFILED_KEY (default: demo).

Exit code: 0 audited; 1 not audited, or a cell has a state of --fail-on; 2 wrong usage.

Examples:
  ./asfiled audit panel.csv
  ./asfiled audit panel.parquet --column sales=revenue,fp=TTM,scale=1e6 --column eps=eps_diluted
  ./asfiled audit panel.csv.gz --with filing,filed --output audited.parquet
  ./asfiled audit panel.csv --fail-on early,restated --output report.html
  ./asfiled audit panel.csv --json | jq .counts

The log of accounts and keys is ./asfiled audit-log.`

/** The flags that `audit` had when it showed the log of accounts. */
interface FormerFlags {
  readonly email?: string
  readonly limit?: string
}

/** `audit`: which cells of a file could not have been known on their dates. */
export function addAuditCommand(program: Command, { config }: CliContext): void {
  program
    .command('audit')
    .description('Show which cells of your own data could not have been known on their dates')
    .argument(
      '[file]',
      'CSV, NDJSON, JSON, Parquet or an Arrow stream, optionally gzipped; - is standard input',
    )
    .option(
      '--column <spec>',
      'Column to audit and what it is, such as sales=revenue,fp=TTM,scale=1e6; may be repeated (default: all columns of numbers)',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option('--inclusive', 'Figures filed on the date itself count as known')
    .option(
      '--max-age-days <days>',
      'Figures of older periods count as unknown (default: no bound)',
      parsePositiveInteger,
    )
    .option('--with <columns>', 'Columns about the figure of each cell: filing, filed and end')
    .option('--forward-return <column>', 'Column of returns, as fractions (default: forward_return)')
    .option('--config <json>', 'Backtest of the premium, such as \'{"quantile": 0.2}\'')
    .option('--data-version <version>', 'Repeat an audit on the data of then', parsePositiveInteger)
    .option(
      '--output <file>',
      'Write rows and report: .json both, .csv, .ndjson and .parquet the rows with their states, .html the report',
    )
    .option('--json', 'Print the report as one JSON object')
    .addOption(
      new Option(
        '--fail-on <states>',
        'Exit with 1 if any cell has one of these comma-separated states',
      ).argParser(parseStates),
    )
    .option('--url <address>', 'Address of the server', config.agentUrl)
    // Without these, scripts that read the log of accounts would fail without the reason.
    .addOption(new Option('--email <address>', 'Now of audit-log').hideHelp())
    .addOption(new Option('--limit <n>', 'Now of audit-log').hideHelp())
    .addHelpText('after', help)
    .action(async (file: string | undefined, flags: AuditFlags & FormerFlags) => {
      if (file === undefined || flags.email !== undefined || flags.limit !== undefined) throw noFile()
      process.exitCode = await audit(file, flags, config.agentKey)
    })
}

const noFile = () =>
  new Failure(
    'parameter_invalid',
    'Name the file to audit: ./asfiled audit panel.csv. The log of accounts and keys is now ./asfiled audit-log.',
  )

async function audit(path: string, flags: AuditFlags, key: string): Promise<number> {
  const settings = auditSettings(flags)
  const address = addressOf(flags.url)
  const format = flags.output === undefined ? null : await checkOutput(path, flags.output)
  const file = await openInput(path)
  const rows = await readInput(file, () => {})
  let audited: ServedAudit
  try {
    const sent = await auditRequest(rows, file.name, settings)
    const signal = abortOnSignal(() => 'Cancelling the audit.')
    audited = await runWithProgress({ address, key, signal }, sent, format)
  } catch (error) {
    throw error instanceof Failure ? inFileWords(error, file.name) : error
  } finally {
    await rows.discard()
  }
  const { head, whole } = audited
  if (flags.output !== undefined && whole !== null) {
    await writeFileAtomically(flags.output, whole)
    console.error(`Wrote ${flags.output}.`)
  }
  await printLine(
    flags.json ? JSON.stringify(head) : auditSummary(head, file.name, process.stdout.columns ?? 100),
  )
  return reportFailing(head, flags.failOn ?? []) ? exitCodes.failed : exitCodes.done
}

async function runWithProgress(
  server: AuditServer,
  sent: Parameters<typeof auditOnServer>[1],
  format: AuditFormat | null,
): Promise<ServedAudit> {
  const progress = startProgress('Auditing')
  try {
    return await auditOnServer(server, sent, format, ({ state, done, total }) =>
      progress.update({
        done,
        total: total ?? 0,
        note: total === null ? state : `${state}, ${grouped(done)} of ${grouped(total)} rows`,
      }),
    )
  } finally {
    progress.stop()
  }
}

/** What the server says of settings, in the words of the options; what it says of rows, with the name of the file. */
function inFileWords(failure: Failure, name: string): Failure {
  const { code, message } = failure
  const isOfRows =
    code === 'body_invalid' ||
    code === 'malformed_json' ||
    (code.startsWith('parameter_') && failure.details.param !== undefined && !blamesAuditOption(failure))
  if (!isOfRows) return new Failure(code, inAuditOptions(message), { cause: failure })
  return new Failure('body_invalid', message.startsWith(name) ? message : `${name}: ${message}`, {
    cause: failure,
  })
}

function addressOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed !== null && ['http:', 'https:'].includes(parsed.protocol)) return url.replace(/\/+$/, '')
  throw new Failure('parameter_invalid', `--url is ${url}, which is not a URL like https://data.example.com.`)
}

/** Fails before the upload, and before a result could overwrite the rows. */
async function checkOutput(rows: string, path: string): Promise<AuditFormat> {
  const extension = extname(path).slice(1).toLowerCase()
  const format = auditFormats.find(name => name === extension)
  if (format === undefined)
    throw new Failure(
      'parameter_invalid',
      `--output is ${path}. Its name has to end with ${auditFormats.map(name => `.${name}`).join(', ')}.`,
    )
  if (resolve(path) === resolve(rows))
    throw new Failure(
      'parameter_invalid',
      '--output would overwrite the file with the rows. Give another file.',
    )
  await requireFolder('--output', path)
  return format
}

/** Reports the states of --fail-on that cells have. */
function reportFailing({ counts }: AuditHead, states: readonly AuditState[]): boolean {
  const found = auditStates.filter(state => states.includes(state) && counts[state] > 0)
  if (found.length === 0) return false
  const counted = found.map(state => `${grouped(counts[state])} ${state}`)
  console.error(`Cells with a state of --fail-on: ${counted.join(', ')}.`)
  return true
}
