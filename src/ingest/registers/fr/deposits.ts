import type { SaxesTagNS } from 'saxes'
import { isRecord } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import { readXml } from '../../reading/xml.ts'

/** Accounts as deposited. XML and JSON give the same result, with every field as plain text. */
export interface Deposit {
  readonly identity: Readonly<Identity>
  /** The deposit date stated in the record around the accounts. */
  readonly recordFiled?: string
  readonly lines: readonly Line[]
}

/** The fields of `identite` that are read: XML names mapped to JSON names. */
const identityFields = {
  siren: 'siren',
  dateClotureExercice: 'date_cloture_exercice',
  dateClotureExerciceNMoins1: 'date_cloture_exercice_n-1',
  dureeExerciceN: 'duree_exercice_n',
  dureeExerciceNMoins1: 'duree_exercice_n-1',
  codeGreffe: 'code_greffe',
  numDepot: 'num_depot',
  numGestion: 'num_gestion',
  dateDepot: 'date_depot',
  codeTypeBilan: 'code_type_bilan',
  codeDevise: 'code_devise',
  codeConfidentialite: 'code_confidentialite',
  denomination: 'denomination',
} as const

type IdentityField = keyof typeof identityFields

type Identity = Partial<Record<IdentityField, string>>

const isIdentityField = (name: string): name is IdentityField => Object.hasOwn(identityFields, name)

/** The amounts of a line, m1 to m4; an empty text is not an amount. */
export type Amounts = readonly [string, string, string, string]

/** Whole euros, zero-padded to fifteen digits: 1.234.567,89 is malformed. */
export const isAmount = (text: string) => /^[+-]?\d{1,15}$/.test(text)

export interface Line {
  readonly page: number
  readonly code: string
  readonly amounts: Amounts
}

const namespace = 'fr:inpi:odrncs:bilansSaisisXML'
const fieldOf = new Map<string, IdentityField>()
for (const [field, name] of Object.entries(identityFields)) fieldOf.set(name, field as IdentityField)

const maxDepth = 20
const maxLines = 1_000_000
/** No name or number of a deposit is longer. */
const maxTextLength = 10_000

/**
 * Parses `bilans/bilan/{identite, detail/page/liasse}` in one pass. A DOCTYPE is refused: its entities could
 * expand without limit or name files.
 */
export function parseXmlDeposits(text: string): Deposit[] {
  const reader = new DepositReader()
  readXml(text, reader)
  return reader.deposits
}

class DepositReader {
  readonly deposits: Deposit[] = []
  readonly #path: string[] = []
  #identity: Identity = {}
  #lines: Line[] = []
  #page = Number.NaN
  #text = ''
  #linesRead = 0

  open({ uri, local, attributes }: SaxesTagNS): string | null {
    if (this.#path.length === 0 && (local !== 'bilans' || uri !== namespace)) {
      return `the document is not a list of accounts: it starts with ${local} instead of bilans of ${namespace}`
    }
    if (this.#path.length >= maxDepth) return `elements are nested deeper than ${maxDepth}`
    this.#path.push(uri === namespace ? local : '')
    this.#text = ''
    switch (this.#path.join('/')) {
      case 'bilans/bilan':
        this.#identity = {}
        this.#lines = []
        return null
      case 'bilans/bilan/detail/page':
        this.#page = pageOf(attributes.numero?.value)
        return Number.isNaN(this.#page) ? 'a page without a number' : null
      case 'bilans/bilan/detail/page/liasse': {
        if (++this.#linesRead > maxLines) return `more than ${maxLines} lines`
        const code = attributes.code?.value.trim()
        if (!code) return 'a line (liasse) without a code'
        const amount = (name: string) => attributes[name]?.value.trim() ?? ''
        const amounts = [amount('m1'), amount('m2'), amount('m3'), amount('m4')] as const
        this.#lines.push({ page: this.#page, code, amounts })
        return null
      }
      default:
        return null
    }
  }

  text(piece: string): void {
    if (this.#text.length < maxTextLength) this.#text += piece
  }

  close(): string | null {
    const path = this.#path.join('/')
    const local = this.#path.pop() ?? ''
    if (path === 'bilans/bilan') {
      this.deposits.push({ identity: this.#identity, lines: this.#lines })
    } else if (path === `bilans/bilan/identite/${local}`) {
      const field = fieldOf.get(local)
      if (field !== undefined) {
        if (this.#identity[field] !== undefined) return `identite states ${local} twice`
        this.#identity[field] = this.#text.trim()
      }
    }
    this.#text = ''
    return null
  }
}

const pageOf = (text: string | undefined) => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : Number.NaN)

/**
 * A deposit of accounts; `shapeless` if a record of accounts has an unknown format; or, for a data set that
 * another service derived from accounts without stating their deposit dates, its number of rows.
 */
type JsonRecord = Deposit | 'shapeless' | { readonly undated: number }

/**
 * Parses a list element or a whole document: one record, or all records of a company. Yields null if it is
 * not from the register.
 */
export function* parseJsonRecords(element: unknown): Generator<JsonRecord | null> {
  if (isRecord(element) && 'bilanSaisi' in element) yield depositOf(element) ?? 'shapeless'
  else if (isRecord(element) && Array.isArray(element.bilansSaisis)) {
    for (const record of element.bilansSaisis) yield depositOf(record) ?? 'shapeless'
  } else {
    const undated = undatedRows(element)
    yield undated === null ? null : { undated }
  }
}

/** Rows of the open data sets of ratios (`ratios_inpi_bce`) and of balance sheets at the Banque de France. */
function undatedRows(document: unknown): number | null {
  if (!isRecord(document)) return null
  const { records, results, result, data } = document
  const rows = [records, results, isRecord(result) ? result.indicateurs : undefined, data].find(Array.isArray)
  const areFigures = rows?.length && rows.every(row => isRecord(row) && statesYear(row))
  return areFigures ? rows.length : null
}

function statesYear(row: Record<string, unknown>): boolean {
  const fields = isRecord(row.fields) ? row.fields : isRecord(row.data) ? row.data : row
  return ['date_cloture_exercice', 'dateClotureExercice', 'date_arrete_exercice'].some(name => name in fields)
}

function depositOf(record: unknown): Deposit | null {
  const entered = isRecord(record) ? record.bilanSaisi : null
  const accounts = isRecord(entered) ? entered.bilan : null
  if (!isRecord(record) || !isRecord(accounts) || !isRecord(accounts.identite)) return null
  const identity: Identity = {}
  for (const [name, value] of Object.entries(accounts.identite)) {
    if (isIdentityField(name) && typeof value === 'string') identity[name] = value.trim()
  }
  // The identity sometimes omits what the record around it states.
  identity.siren ||= textIn(record.siren)
  identity.codeTypeBilan ||= textIn(record.typeBilan)
  identity.denomination ||= textIn(record.denomination)
  identity.numDepot ||= textIn(record.numChrono)
  if (record.confidentiality === 'Confidentiel') identity.codeConfidentialite = '1'
  const lines = linesOf(accounts.detail)
  if (lines === null) return null
  const recordFiled = textIn(record.dateDepot)
  return { identity, lines, ...(recordFiled === '' ? {} : { recordFiled }) }
}

const textIn = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

const numberShown = (value: unknown) => (Number.isFinite(value) ? String(value) : shown(value))

/** Anything but text, a number or nothing becomes a text that is later counted as malformed. */
const amountIn = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value.trim() : numberShown(value)

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
