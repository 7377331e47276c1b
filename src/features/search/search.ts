import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { type FoundEntity, findIds, findNames, findNumbers, makeProbe } from './queries.ts'
import { type SearchHit, searchCharacters, searchHits } from './schema.ts'

/** Up to eight entities for a name, a symbol or a registration number. Order: the registration number, the exact ID, IDs that begin
 * with the text, names that begin with it, names that contain it. Each entity comes once, at its best level. */
export async function searchEntities(sql: Sql, q: string): Promise<SearchHit[]> {
  const found = await findAll(sql, readable(q))
  return found.map(({ ticker, name, market }) => ({ ticker, name, market }))
}

async function findAll(sql: Sql, text: string): Promise<FoundEntity[]> {
  const probe = await makeProbe(sql, text)
  if (probe.length === 0) return []
  const found: FoundEntity[] = []
  const add = (more: readonly FoundEntity[]) => {
    for (const entity of more) {
      const isNew = found.every(known => known.entityId !== entity.entityId)
      if (isNew && found.length < searchHits) found.push(entity)
    }
  }
  const number = registrationNumber(text)
  if (number !== null) add(await findNumbers(sql, number.tickers, number.numbers, number.market, searchHits))
  add(await findIds(sql, probe.folded, searchHits + found.length))
  const missing = searchHits - found.length
  if (missing > 0) {
    const seen = found.map(entity => entity.entityId)
    add(await findNames(sql, probe, seen, missing))
  }
  return found
}

function readable(q: string): string {
  if (q.includes('\0')) throw invalid('q contains a NUL character')
  if (!q.isWellFormed()) throw invalid('q contains half of a character (a lone surrogate)')
  const text = q.trim()
  if (text === '') throw invalid('q is empty')
  // A character has at most two code units.
  return Array.from(text.slice(0, 2 * searchCharacters))
    .slice(0, searchCharacters)
    .join('')
}

function invalid(what: string): Failure {
  return new Failure(
    'parameter_invalid',
    `${what}: send a name, a symbol or a registration number, for example q=apple.`,
    { param: 'q' },
  )
}

/** A registration number as people type it: 8 to 10 digits, grouped or not, with or without a suffix. */
export interface RegistrationNumber {
  /** IDs that it may stand for. */
  tickers: string[]
  /** The register's own spellings. */
  numbers: string[]
  /** From the suffix; null without one. */
  market: string | null
}

const shape = /^(\d(?:[\d .\u00a0-]*\d)?)(?:\.(fr|be|dk))?$/i
const digitsOf: Readonly<Record<string, number>> = { FR: 9, BE: 10, DK: 8 }

/** Null if the text is not such a number. A Belgian number may have lost its leading 0. */
export function registrationNumber(text: string): RegistrationNumber | null {
  const match = shape.exec(text.normalize('NFKC').trim())
  if (match === null) return null
  const digits = match[1].replace(/\D/g, '')
  if (digits.length < 8 || digits.length > 10) return null
  const market = match[2]?.toUpperCase() ?? null
  const numbers = digits.length === 9 ? [digits, `0${digits}`] : [digits]
  const tickers = Object.entries(digitsOf).flatMap(([code, length]) =>
    numbers.filter(number => number.length === length).map(number => `${number}.${code}`),
  )
  return { tickers, numbers, market }
}
