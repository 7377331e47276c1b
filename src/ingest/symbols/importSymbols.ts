import type { IsoDate } from '../../dates.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { advanceDataVersion, hasChangedData } from '../../postgres/dataVersion.ts'
import { takeImportLock } from '../store/importQueries.ts'
import {
  type ListedSpell,
  type NamedCompany,
  readCompaniesOfIds,
  readHolders,
  removeListedSpells,
  saveListedSpells,
} from '../store/symbolQueries.ts'
import {
  type ListFault,
  type ListProgress,
  readLists,
  readMapFile,
  readSymbolTable,
  type StatedSpell,
} from './readLists.ts'

export interface SymbolImport {
  files: number
  /** Spells that the lists state. */
  spells: number
  added: number
  /** Spells on record that got an end, or a later one. */
  extended: number
  /** Spells that were removed because the lists replace all earlier ones. */
  removed: number
  /** Map files whose company the register does not identify. Their symbols find no company. */
  unidentified: number
  readonly faults: ListFault[]
  /** Null if nothing changed. */
  dataVersion: number | null
}

export interface SymbolLists {
  /** Files, folders and zips. */
  readonly paths: readonly string[]
  readonly today: IsoDate
  /** Whether the lists replace all that were imported before. */
  readonly replaces: boolean
}

const spellsPerStatement = 10_000

/** Imports the operator's lists of symbols in one transaction. */
export async function importSymbols(
  sql: Sql,
  { paths, today, replaces }: SymbolLists,
  onProgress: (progress: ListProgress) => void,
): Promise<SymbolImport> {
  const report: SymbolImport = {
    files: 0,
    spells: 0,
    added: 0,
    extended: 0,
    removed: 0,
    unidentified: 0,
    faults: [],
    dataVersion: null,
  }
  const unidentified = new Set<string>()
  return sql.begin(async transaction => {
    await takeImportLock(transaction)
    if (replaces) report.removed = await removeListedSpells(transaction)
    let held: StatedSpell[] = []
    const write = async () => {
      const spells = await identify(transaction, held, report.faults, unidentified)
      const { added, extended } = await saveListedSpells(transaction, spells, today)
      report.spells += spells.length
      report.added += added
      report.extended += extended
      held = []
    }
    const lists = readLists(paths, [readSymbolTable, readMapFile], report.faults, progress => {
      report.files = progress.files
      onProgress(progress)
    })
    for await (const spells of lists) {
      held.push(...spells)
      if (held.length >= spellsPerStatement) await write()
    }
    await write()
    report.unidentified = unidentified.size
    if (await hasChangedData(transaction))
      report.dataVersion = await advanceDataVersion(transaction, {
        source: 'symbols',
        entities: 0,
        factsAdded: 0,
      })
    return report
  })
}

/** Finds the companies of spells. A line whose company is unknown is refused. */
async function identify(
  transaction: TransactionSql,
  stated: readonly StatedSpell[],
  faults: ListFault[],
  unidentified: Set<string>,
): Promise<ListedSpell[]> {
  const ids = new Set<string>()
  const lastSymbols = new Set<string>()
  for (const { company } of stated) {
    if ('id' in company) ids.add(company.id)
    else if (company.lastSymbol !== null)
      for (const symbol of spellingsOf(company.lastSymbol)) lastSymbols.add(symbol)
  }
  const known = await readCompaniesOfIds(transaction, [...ids])
  const holders = await readHolders(transaction, [...lastSymbols])
  return stated.flatMap(({ file, line, symbol, from, to, company }): ListedSpell[] => {
    const spell = { symbol, from, to }
    if ('id' in company) {
      const found = registerNumber(company.id) ?? known.get(company.id)
      if (found !== undefined) return [{ ...spell, ...found, holder: idOfNumber(found), pending: null }]
      const reason = `id is ${company.id}, which is neither a register number nor the ID of a company here`
      faults.push({ file, line, reason })
      return []
    }
    const { permanentTicker, lastSymbol } = company
    const found = lastSymbol === null ? undefined : holderOf(holders, lastSymbol)
    if (found !== undefined) return [{ ...spell, ...found, holder: idOfNumber(found), pending: null }]
    unidentified.add(permanentTicker)
    const pending = lastSymbol === null ? null : symbolForm(lastSymbol)
    return [{ ...spell, market: 'US', issuerId: null, holder: permanentTicker, pending }]
  })
}

function holderOf(holders: ReadonlyMap<string, NamedCompany>, symbol: string): NamedCompany | undefined {
  const spelling = spellingsOf(symbol).find(one => holders.has(one))
  return spelling === undefined ? undefined : holders.get(spelling)
}

/** BRK.B and BRK-B. The SQL function `symbol_form` makes the form. */
const symbolForm = (symbol: string) => symbol.replaceAll(/[./_ -]+/g, '-')

/** The spellings that a register may use for a symbol. */
const spellingsOf = (symbol: string) => [
  ...new Set([symbol, ...['-', '.', '/'].map(mark => symbolForm(symbol).replaceAll('-', mark))]),
]

const cikDigits = 10

/** A CIK identifies a company even if we do not have it yet, so a list may be imported before its companies. */
export function registerNumber(id: string): NamedCompany | undefined {
  const [, cik] = /^(?:CIK)?(\d{1,10})$/.exec(id) ?? []
  return cik === undefined ? undefined : { market: 'US', issuerId: cik.padStart(cikDigits, '0') }
}

export const idOfNumber = ({ market, issuerId }: NamedCompany) =>
  market === 'US' ? `CIK${issuerId}` : `${issuerId}.${market}`
