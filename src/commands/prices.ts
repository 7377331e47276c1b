import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseEmail } from '../access/emailAddress.ts'
import { plural } from '../backtest/report/numberFormat.ts'
import { type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { basisWords, importPrices } from '../features/prices/import/importPrices.ts'
import type { KnownRule, PriceImport, UnresolvedSymbol } from '../features/prices/import/priceImport.ts'
import {
  changeAccess,
  findKeysByPrefix,
  type Reader,
  readCoverage,
  readImports,
  readListedSecurities,
  readReaders,
  removeSet,
} from '../features/prices/setQueries.ts'
import { csvLine } from '../formats/csv.ts'
import { loadMarkets } from '../markets/markets.ts'
import type { Sql } from '../postgres/client.ts'
import { findPriceSet, type PriceSet, readPriceSets } from '../prices/priceQueries.ts'
import type { PriceBasis } from '../prices/priceSeries.ts'
import { licences } from '../rights/licences.ts'
import { writeInBulk } from './bulkWrite.ts'
import { type CliContext, exitCodes } from './context.ts'
import { openInput, readInput } from './inputFile.ts'
import { parseDay } from './options.ts'
import { grouped, printLine, requireFolder, textTable, writeFileAtomically } from './output.ts'

const importHelp = `
FILE is CSV or Parquet, plain or packed with gzip or zstd; - is standard input. Its columns, in any order:
  date              YYYY-MM-DD
  symbol            A symbol or any other ID of a company; the column may also be called ticker or id. A symbol means the
                    company that had it on the row's date (FB until 2022-06-08, META after).
  close             The closing price. Empty: the day has no close, or no longer has one.
  market            Optional: the market of the ID, such as US. Then 2330 of TW is 2330.TW.
  volume            Optional: shares traded.
  split_factor      Optional: new shares for one old share, on the first day of trading after the split.
  dividend          Optional: cash per share on the ex-day, in the shares of that day.
  delisting_return  Optional: the return from the last close to what holders received, such as -0.3; on the day of the last
                    close, or later with an empty close.
  known             Optional: the day on which this row was known, never before its date.

When is a price known? Requests as of a day see only the prices that were known by the end of it.
  (nothing)            From the day of this import on. No earlier day sees them, so no backtest of the past does, either.
  --known date         Each close was public at the end of its own date.
  --known 2024-05-01   All of them were known on that day: the state of a file that you bought then.
  a column known       As it says, row by row. Corrections are rows of the same date with a later known day.
Importing a file again changes nothing, and a correction stores only the rows that differ. What was known before stays known.

Adjusted or raw must be said when a set is created:
  --raw                Closes as traded. Splits and dividends come from their columns.
  --adjusted splits    Closes, volumes and dividends adjusted for all splits up to the day of the import (--adjusted-on).
                       Market capitalisation then needs the column split_factor, to undo the adjustment.
  --adjusted total     Adjusted for splits and dividends, too. Good for returns only: no price that was paid can be derived.

Exit code: 0 all rows were imported; 1 some rows were refused (the first 20 are named); 2 wrong usage. Rows of symbols
without a company are stored, and served as soon as an import finds that a company had the symbol on all their days.

Examples:
  ./asfiled prices import prices.csv --currency USD --raw --known date
  ./asfiled prices import today.csv --known date
  ./asfiled prices import taipei.parquet --set taipei --currency TWD --adjusted splits --unresolved unknown.csv`

const rightsHelp = `
A new set is private: only the operator's commands read it, and the keys that you name. To everyone else a set that they
may not see does not exist.

Examples:
  ./asfiled prices rights prices
  ./asfiled prices rights prices --licence personal,commercial
  ./asfiled prices rights prices --private --allow ana@fund.example --allow asf_live_4fT9aB2x
  ./asfiled prices rights prices --deny ana@fund.example`

interface ImportOptions {
  readonly set: string
  readonly currency?: string
  readonly raw?: true
  readonly adjusted?: 'splits' | 'total'
  readonly known?: KnownRule
  readonly adjustedOn?: IsoDate
  readonly unresolved?: string
  readonly json: boolean
}

/** `prices import`, `list`, `show`, `remove` and `rights`. */
export function addPricesCommand(program: Command, context: CliContext): void {
  const prices = program.command('prices').description('Import prices of your own, and say who may see them')
  prices
    .command('import')
    .description('Import closes, splits, dividends and delisting returns')
    .argument('<file>', 'CSV or Parquet; - is standard input')
    .option('--set <name>', 'The price set', parseSetName, 'prices')
    .option('--currency <code>', 'Currency of a new set, such as USD', parseCurrency)
    .addOption(new Option('--raw', 'A new set has closes as traded').conflicts('adjusted'))
    .addOption(
      new Option(
        '--adjusted <for>',
        'A new set has closes adjusted for splits, or for splits and dividends',
      ).choices(['splits', 'total']),
    )
    .option('--known <rule>', 'When the prices were known: date, import, or a day', parseKnown)
    .option(
      '--adjusted-on <day>',
      'The day for which adjusted closes were adjusted; default: the import',
      parseDay,
    )
    .option('--unresolved <path>', 'Write the symbols without a company to a CSV file')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', importHelp)
    .action(async (file: string, options: ImportOptions) => {
      process.exitCode = await runImport(context, file, options)
    })
  prices
    .command('list')
    .description('List the price sets')
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', '\nExample:\n  ./asfiled prices list')
    .action((options: { json: boolean }) => list(context, options.json))
  prices
    .command('show')
    .description('Show the imports and securities of a set, those without a company first')
    .argument('<set>', 'Name of the set')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', '\nExample:\n  ./asfiled prices show prices')
    .action((name: string, options: { json: boolean }) => show(context, name, options.json))
  prices
    .command('remove')
    .description('Remove a set with all its prices. Nothing of it is kept, in no data version')
    .argument('<set>', 'Name of the set')
    .addHelpText('after', '\nExample:\n  ./asfiled prices remove trial')
    .action((name: string) => remove(context, name))
  prices
    .command('rights')
    .description('Show or change who may see a set')
    .argument('<set>', 'Name of the set')
    .addOption(new Option('--private', 'Only keys that are named').conflicts('licence'))
    .option('--licence <licences>', 'Also the keys of these licences, separated by commas', parseLicences)
    .option(
      '--allow <reader>',
      'A key by its prefix, or all keys of an e-mail address; may be repeated',
      collect,
      [],
    )
    .option('--deny <reader>', 'No longer this key or address; may be repeated', collect, [])
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', rightsHelp)
    .action((name: string, options: RightsOptions) => changeRights(context, name, options))
}

async function runImport(context: CliContext, path: string, options: ImportOptions): Promise<number> {
  if (options.unresolved !== undefined) await requireFolder('--unresolved', options.unresolved)
  const basis: PriceBasis | null =
    options.raw === true
      ? 'raw'
      : options.adjusted === undefined
        ? null
        : options.adjusted === 'splits'
          ? 'split_adjusted'
          : 'total_return'
  const file = await openInput(path)
  const markets = await loadMarkets()
  const report = await writeInBulk(context, 'Importing', async (sql, progress) => {
    const rows = await readInput(file, () => {})
    try {
      return await importPrices(
        sql,
        { name: file.name, body: rows.body },
        {
          name: options.set,
          currency: options.currency ?? null,
          basis,
          known: options.known ?? null,
          adjustedOn: options.adjustedOn ?? null,
          markets,
          now: context.now,
          onProgress: (share, note) =>
            progress.update({ done: Math.round(1_000 * share), total: 1_000, note }),
        },
      )
    } finally {
      await rows.discard()
    }
  })
  if (options.unresolved !== undefined)
    await writeFileAtomically(options.unresolved, unresolvedCsv(report.unresolved))
  if (options.json) await printLine(JSON.stringify(jsonOf(report)))
  else await printReport(path, report, context.today())
  return report.refused === 0 ? exitCodes.done : exitCodes.failed
}

const maxNamed = 20

async function printReport(path: string, report: PriceImport, today: IsoDate): Promise<void> {
  for (const { line, reason } of report.faults) console.error(`${path}:${line}: ${reason}.`)
  const unnamed = report.refused - report.faults.length
  if (unnamed > 0) console.error(`... ${plural(report.refused, 'row')} were refused in all.`)
  for (const { symbol, rows, from, to, reason } of report.unresolved.slice(0, maxNamed))
    console.error(
      `${symbol}: ${plural(rows, 'row')} from ${from} to ${to} without a company: ${reason.replace(/\.$/, '')}.`,
    )
  const more = report.unresolved.length - maxNamed
  if (more > 0) console.error(`... and ${plural(more, 'more symbol')}; --unresolved FILE writes all of them.`)
  const parts = [
    `${grouped(report.stored)} stored`,
    `${grouped(report.unchanged)} unchanged`,
    ...some(report.repeated, 'repeated'),
    ...some(report.withoutClose, 'without a close'),
    ...some(report.refused, 'refused'),
    ...some(report.unresolvedRows, 'of unknown symbols (stored, not served yet)'),
    ...some(report.assumed, 'of symbols that today’s company is only assumed to have had then'),
    ...some(report.weekend, 'dated on a Saturday or Sunday'),
  ]
  const version = report.dataVersion === null ? 'nothing changed' : `data version ${report.dataVersion}`
  const adopted =
    report.adopted === 0
      ? ''
      : ` ${plural(report.adopted, 'security', 'securities')} of earlier imports now ${report.adopted === 1 ? 'has' : 'have'} a company.`
  await printLine(
    `${plural(report.rows, 'row')} of ${plural(report.companies, 'company', 'companies')} into ${report.set}: ${parts.join(', ')}; ${version}.${adopted}`,
  )
  if (report.known === 'import' && report.stored > 0)
    console.error(
      `These prices are known from ${today}, the day of this import: requests as of earlier days do not see them. If each close was public at the end of its own date, remove the set and import it with --known date.`,
    )
}

const some = (count: number, what: string) => (count === 0 ? [] : [`${grouped(count)} ${what}`])

const unresolvedCsv = (unresolved: readonly UnresolvedSymbol[]): string =>
  [
    ['symbol', 'market', 'rows', 'from', 'to', 'reason'],
    ...unresolved.map(({ symbol, market, rows, from, to, reason }) => [
      symbol,
      market,
      rows,
      from,
      to,
      reason,
    ]),
  ]
    .map(csvLine)
    .join('')

const jsonOf = ({
  isNew,
  withoutClose,
  unresolvedRows,
  unresolved,
  dataVersion,
  ...counts
}: PriceImport) => ({
  ...counts,
  new_set: isNew,
  without_close: withoutClose,
  unresolved_rows: unresolvedRows,
  unresolved_symbols: unresolved.length,
  unresolved: unresolved.slice(0, maxNamed),
  data_version: dataVersion,
})

async function list(context: CliContext, asJson: boolean): Promise<void> {
  const sets = await context.withDatabase(async sql => {
    const all = await readPriceSets(sql)
    const coverage = await readCoverage(
      sql,
      all.map(({ priceSetId }) => priceSetId),
    )
    return all.map(set => ({ set, coverage: coverage.get(set.priceSetId) }))
  })
  if (asJson) {
    const shown = sets.map(({ set, coverage }) => ({
      name: set.name,
      currency: set.currency,
      basis: set.basis,
      access: set.access,
      licences: set.licences,
      companies: coverage?.companies ?? 0,
      unresolved: coverage?.unresolved ?? 0,
      prices: coverage?.prices ?? 0,
      first: coverage?.first ?? null,
      last: coverage?.last ?? null,
    }))
    return printLine(JSON.stringify(shown))
  }
  if (sets.length === 0)
    return printLine(
      'There are no price sets. Import one: ./asfiled prices import FILE --currency USD --raw --known date',
    )
  const head = ['set', 'currency', 'closes', 'companies', 'unresolved', 'prices', 'first', 'last', 'shown to']
  const rows = sets.map(({ set, coverage }) => [
    set.name,
    set.currency,
    basisWords[set.basis],
    grouped(coverage?.companies ?? 0),
    grouped(coverage?.unresolved ?? 0),
    grouped(coverage?.prices ?? 0),
    coverage?.first ?? '',
    coverage?.last ?? '',
    set.access === 'private' ? 'named keys' : set.licences.join(','),
  ])
  await printLine(textTable(head, rows))
}

const maxSecuritiesShown = 1_000

async function show(context: CliContext, name: string, asJson: boolean): Promise<void> {
  const found = await context.withDatabase(async sql => {
    const set = await requireSet(sql, name)
    return {
      set,
      imports: await readImports(sql, set.priceSetId),
      securities: await readListedSecurities(sql, set.priceSetId, maxSecuritiesShown),
    }
  })
  const { set, imports, securities } = found
  if (asJson)
    return printLine(
      JSON.stringify({
        name: set.name,
        currency: set.currency,
        basis: set.basis,
        imports,
        securities: [...securities],
      }),
    )
  const importRows = imports.map(one => [
    one.imported,
    one.file,
    one.known,
    grouped(one.rows),
    String(one.data_version),
  ])
  const securityRows = securities.map(one => [
    one.id ?? '-',
    one.market ?? '',
    one.symbols.join(','),
    one.first,
    one.last,
    grouped(one.prices),
  ])
  await printLine(
    [
      `${set.name}: ${set.currency}, closes ${basisWords[set.basis]}`,
      textTable(['imported', 'file', 'known', 'stored', 'data version'], importRows),
      textTable(['id', 'market', 'symbols', 'first', 'last', 'prices'], securityRows),
      ...(securities.length === maxSecuritiesShown
        ? [`The first ${grouped(maxSecuritiesShown)} securities.`]
        : []),
    ].join('\n\n'),
  )
}

async function remove(context: CliContext, name: string): Promise<void> {
  const gone = await context.withDatabase(sql => removeSet(sql, name))
  if (!gone) throw unknownSet(name)
  await printLine(`${name} is removed.`)
}

interface RightsOptions {
  readonly private?: true
  readonly licence?: readonly string[]
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly json: boolean
}

async function changeRights(context: CliContext, name: string, options: RightsOptions): Promise<void> {
  const { set, readers } = await context.withDatabase(async sql => {
    const before = await requireSet(sql, name)
    const licencesAfter = options.private === true ? [] : (options.licence ?? null)
    if (licencesAfter !== null || options.allow.length + options.deny.length > 0)
      await changeAccess(sql, before, {
        licences: licencesAfter,
        allowed: await readersOf(sql, options.allow),
        denied: await readersOf(sql, options.deny),
      })
    const after = await requireSet(sql, name)
    return { set: after, readers: await readReaders(sql, after.priceSetId) }
  })
  const shown = { name: set.name, access: set.access, licences: set.licences, readers }
  if (options.json) return printLine(JSON.stringify(shown))
  const licensed = set.licences.length === 0 ? '' : `the licences ${set.licences.join(', ')}`
  const named = readers.length === 0 ? '' : readers.join(', ')
  const all = [licensed, named].filter(text => text !== '').join(' and ')
  await printLine(`${set.name} is shown to ${all === '' ? 'nobody but the operator' : all}.`)
}

async function readersOf(sql: Sql, texts: readonly string[]): Promise<Reader[]> {
  const readers: Reader[] = []
  for (const text of texts) {
    if (text.includes('@')) {
      readers.push({ keyId: null, email: parseEmail(text).address.toLowerCase() })
      continue
    }
    const [keyId, ...more] = await findKeysByPrefix(sql, text)
    if (keyId === undefined || more.length > 0)
      throw new Failure(
        'parameter_invalid',
        `${text} is the beginning of ${keyId === undefined ? 'no key' : 'several keys'}. Give an e-mail address, or a prefix as ./asfiled keys list shows it.`,
      )
    readers.push({ keyId, email: null })
  }
  return readers
}

async function requireSet(sql: Sql, name: string): Promise<PriceSet> {
  const set = await findPriceSet(sql, name)
  if (set === null) throw unknownSet(name)
  return set
}

const unknownSet = (name: string) =>
  new Failure('parameter_invalid', `There is no price set ${name}. ./asfiled prices list names all of them.`)

function parseSetName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(text)) return text
  throw new InvalidArgumentError(
    'Use 1 to 63 small letters, digits and hyphens, beginning with a letter or digit.',
  )
}

function parseCurrency(text: string): string {
  const code = text.toUpperCase()
  if (/^[A-Z]{3}$/.test(code)) return code
  throw new InvalidArgumentError('Write the three letters of a currency, such as USD.')
}

function parseKnown(text: string): KnownRule {
  if (text === 'date' || text === 'import' || isIsoDate(text)) return text
  throw new InvalidArgumentError('Write date, import, or a day as YYYY-MM-DD.')
}

function parseLicences(text: string): string[] {
  const named = text.split(',')
  const unknown = named.find(name => !licences.some(known => known === name))
  if (unknown === undefined) return [...new Set(named)]
  throw new InvalidArgumentError(`${unknown || 'An empty word'} is not one of ${licences.join(', ')}.`)
}

const collect = (text: string, before: readonly string[]) => [...before, text]
