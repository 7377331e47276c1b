import { isRecord } from '../fields.ts'
import { type Deposit, type IdentityField, isIdentityField } from './deposit.ts'
import type { Line } from './forms.ts'

/** What a JSON document holds: accounts, records that are none, and accounts that cannot be read. */
export interface JsonDeposits {
  readonly deposits: readonly Deposit[]
  /** Figures that another service made from deposits, without their day. */
  readonly undated: number
  /** Records of accounts whose shape is not that of the register. */
  readonly shapeless: number
}

/** null where the document is none of the register's, nor of those that are known to be made from it. */
export function depositsOfJson(document: unknown): JsonDeposits | null {
  const records = recordsOf(document)
  if (records !== null) {
    const deposits = records.map(depositOf)
    const read = deposits.filter(deposit => deposit !== null)
    return { deposits: read, undated: 0, shapeless: deposits.length - read.length }
  }
  const undated = undatedRows(document)
  return undated === null ? null : { deposits: [], undated, shapeless: 0 }
}

/** One record, a list of them, or the list that the register gives of one company's documents. */
function recordsOf(document: unknown): readonly unknown[] | null {
  if (isRecord(document)) {
    if ('bilanSaisi' in document) return [document]
    return Array.isArray(document.bilansSaisis) ? document.bilansSaisis : null
  }
  if (!Array.isArray(document)) return null
  return document.some(entry => isRecord(entry) && 'bilanSaisi' in entry) ? document : null
}

/** Rows of the open data set of ratios (`ratios_inpi_bce`) and of balance sheets at the Banque de France. */
function undatedRows(document: unknown): number | null {
  if (!isRecord(document)) return null
  const { records, results, result, data } = document
  const rows = [records, results, isRecord(result) ? result.indicateurs : undefined, data].find(Array.isArray)
  const areFigures = rows?.length && rows.every(row => isRecord(row) && saysYear(row))
  return areFigures ? rows.length : null
}

function saysYear(row: Record<string, unknown>): boolean {
  const fields = isRecord(row.fields) ? row.fields : isRecord(row.data) ? row.data : row
  return ['date_cloture_exercice', 'dateClotureExercice', 'date_arrete_exercice'].some(name => name in fields)
}

function depositOf(record: unknown): Deposit | null {
  const entered = isRecord(record) ? record.bilanSaisi : null
  const accounts = isRecord(entered) ? entered.bilan : null
  if (!isRecord(record) || !isRecord(accounts) || !isRecord(accounts.identite)) return null
  const identity: Partial<Record<IdentityField, string>> = {}
  for (const [name, value] of Object.entries(accounts.identite)) {
    if (isIdentityField(name) && typeof value === 'string') identity[name] = value.trim()
  }
  // The identity leaves at times out what the record around it says.
  identity.siren ||= textIn(record.siren)
  identity.codeTypeBilan ||= textIn(record.typeBilan)
  identity.denomination ||= textIn(record.denomination)
  identity.numDepot ||= textIn(record.numChrono)
  if (record.confidentiality === 'Confidentiel') identity.codeConfidentialite = '1'
  const lines = linesOf(accounts.detail)
  if (lines === null) return null
  const filedAgain = textIn(record.dateDepot)
  return { identity, lines, ...(filedAgain === '' ? {} : { filedAgain }) }
}

const textIn = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

/** What is neither text nor number nor nothing stays to be counted as no amount. */
const amountIn = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value.trim() : String(value)

/** Confidential accounts have no detail. */
function linesOf(detail: unknown): Line[] | null {
  if (detail === undefined || detail === null) return []
  if (!isRecord(detail) || !Array.isArray(detail.pages)) return null
  const lines: Line[] = []
  for (const page of detail.pages) {
    const number = isRecord(page) ? Number(page.numero) : Number.NaN
    if (!isRecord(page) || !Number.isInteger(number) || !Array.isArray(page.liasses)) return null
    for (const line of page.liasses) {
      if (!isRecord(line) || typeof line.code !== 'string') return null
      const { m1, m2, m3, m4 } = line
      lines.push({
        page: number,
        code: line.code.trim(),
        amounts: [amountIn(m1), amountIn(m2), amountIn(m3), amountIn(m4)],
      })
    }
  }
  return lines
}
