import { isRecord } from '../fields.ts'
import { type Deposit, type IdentityField, isIdentityField } from './deposit.ts'
import type { Line } from './forms.ts'

/** One element of a JSON document: accounts, a record of accounts in another shape, or so many rows of figures that another
 * service made from accounts, without their day; null where it is nothing of the register's. */
export type JsonRecord = Deposit | 'shapeless' | { readonly undated: number }

/** What an element of a list holds, or a document that is none: one record, or all that the register has of a company. */
export function* recordsOfJson(element: unknown): Generator<JsonRecord | null> {
  if (isRecord(element) && 'bilanSaisi' in element) yield depositOf(element) ?? 'shapeless'
  else if (isRecord(element) && Array.isArray(element.bilansSaisis)) {
    for (const record of element.bilansSaisis) yield depositOf(record) ?? 'shapeless'
  } else {
    const undated = undatedRows(element)
    yield undated === null ? null : { undated }
  }
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
