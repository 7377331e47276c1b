import { type IsoDate, isIsoDate } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'
import { advanceDataVersion, hasChangedData } from '../../postgres/dataVersion.ts'
import { takeImportLock } from '../store/importQueries.ts'
import {
  type ListedSuccession,
  readDocuments,
  removeListedSuccessions,
  saveSuccessions,
} from '../store/successionQueries.ts'
import { readCompaniesOfIds } from '../store/symbolQueries.ts'
import { registerNumber } from './importSymbols.ts'
import {
  cellsOf,
  type LineReader,
  type ListFault,
  type ListProgress,
  placesOf,
  readLists,
} from './readLists.ts'

interface StatedSuccession {
  readonly file: string
  readonly line: number
  readonly predecessor: string
  readonly successor: string
  readonly from: IsoDate
  /** An accession; null: the list itself is the source. */
  readonly document: string | null
}

export interface SuccessorImport {
  files: number
  successions: number
  /** Successions that are new or have a new day or document. */
  changed: number
  removed: number
  readonly faults: ListFault[]
  /** Null if nothing changed. */
  dataVersion: number | null
}

export interface SuccessorLists {
  /** Files, folders and zips. */
  readonly paths: readonly string[]
  /** Whether the lists replace all that were imported before. */
  readonly replaces: boolean
}

/** Imports the operator's lists of successors, in one transaction. */
export async function importSuccessors(
  sql: Sql,
  { paths, replaces }: SuccessorLists,
  onProgress: (progress: ListProgress) => void,
): Promise<SuccessorImport> {
  const report: SuccessorImport = {
    files: 0,
    successions: 0,
    changed: 0,
    removed: 0,
    faults: [],
    dataVersion: null,
  }
  const { faults } = report
  return sql.begin(async transaction => {
    await takeImportLock(transaction)
    if (replaces) report.removed = await removeListedSuccessions(transaction)
    const lists = readLists(paths, [readSuccessorTable], faults, progress => {
      report.files = progress.files
      onProgress(progress)
    })
    for await (const stated of lists) {
      const ids = [...new Set(stated.flatMap(({ predecessor, successor }) => [predecessor, successor]))]
      const known = await readCompaniesOfIds(transaction, ids)
      const documents = await readDocuments(
        transaction,
        stated.flatMap(({ document }) => document ?? []),
      )
      const successions = stated.flatMap((one): ListedSuccession[] => {
        const companyOf = (id: string) => registerNumber(id) ?? known.get(id)
        const predecessor = companyOf(one.predecessor)
        const successor = companyOf(one.successor)
        const filing = one.document === null ? undefined : documents.get(one.document)
        const reason = faultOf(one, predecessor, successor, filing)
        if (reason === null && predecessor !== undefined && successor !== undefined)
          return [
            {
              ...one,
              market: successor.market,
              predecessor: predecessor.issuerId,
              successor: successor.issuerId,
            },
          ]
        faults.push({ file: one.file, line: one.line, reason: reason ?? '' })
        return []
      })
      report.successions += successions.length
      report.changed += await saveSuccessions(transaction, successions)
    }
    if (await hasChangedData(transaction))
      report.dataVersion = await advanceDataVersion(transaction, {
        source: 'successors',
        entities: 0,
        factsAdded: 0,
      })
    return report
  })
}

type Company = { readonly market: string; readonly issuerId: string }

function faultOf(
  { predecessor, successor, document }: StatedSuccession,
  before: Company | undefined,
  after: Company | undefined,
  filing: { readonly form: string; readonly issuerId: string } | undefined,
): string | null {
  for (const [name, id, company] of [
    ['predecessor', predecessor, before],
    ['successor', successor, after],
  ] as const)
    if (company === undefined)
      return `${name} is ${id}, which is neither a register number nor the ID of a company here`
  if (before?.market !== after?.market)
    return `${predecessor} and ${successor} are in different registers, ${before?.market} and ${after?.market}`
  if (before?.issuerId === after?.issuerId) return `${predecessor} and ${successor} are the same registrant`
  if (filing === undefined) return null
  if (!/^8-K(12B|12G3|15D5)/.test(filing.form))
    return `document is ${document}, whose form is ${filing.form}. Only an 8-K12B, 8-K12G3 or 8-K15D5 states a succession`
  if (![before?.issuerId, after?.issuerId].includes(filing.issuerId))
    return `document is ${document}, which was filed by registrant ${filing.issuerId}`
  return null
}

/** `predecessor,successor,from[,document]`. */
const readSuccessorTable: LineReader<StatedSuccession> = (lines, file, refuse) => {
  const places = placesOf(lines[0] ?? '', ['predecessor', 'successor', 'from'], ['document'])
  if (places === null) return null
  const stated: StatedSuccession[] = []
  for (const [index, text] of lines.entries()) {
    if (index === 0 || text.trim() === '') continue
    const [predecessor, successor, from, document] = cellsOf(text, places).map(cell => cell.toUpperCase())
    const line = index + 1
    if (predecessor === '' || successor === '') refuse(line, 'predecessor or successor is empty')
    else if (!isIsoDate(from))
      refuse(line, `from is ${JSON.stringify(from.slice(0, 40))}, but must be a day as YYYY-MM-DD`)
    else if (document !== '' && !/^[0-9-]{10,25}$/.test(document))
      refuse(line, `document is ${JSON.stringify(document.slice(0, 40))}, but must be an accession or empty`)
    else
      stated.push({ file, line, predecessor, successor, from, document: document === '' ? null : document })
  }
  return stated
}
