import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { findNames, makeProbe, type SearchProbe } from './nameQueries.ts'
import {
  type FormerName,
  type FoundEntity,
  findCodes,
  findFormerNames,
  findFormerSymbols,
  findIds,
  findNumbers,
} from './queries.ts'
import { type SearchHit, searchCharacters, searchHits } from './schema.ts'

/**
 * Up to eight entities for a name, symbol or registration number. Order: the registration number, the exact
 * ID, IDs that begin with the text, former IDs and symbols in the same way, a short SEC number, names that begin
 * with the text, names that contain it, names in earlier filings. Each entity appears once, at its best level.
 */
export async function searchEntities(sql: Sql, q: string): Promise<SearchHit[]> {
  const found = await findAll(sql, readable(q))
  return found.map(({ ticker, name, market, former }) => ({
    ticker,
    name,
    market,
    ...(former === undefined ? {} : { former }),
  }))
}

type Found = FoundEntity & { former?: FormerName }

async function findAll(sql: Sql, text: string): Promise<Found[]> {
  const probe = await makeProbe(sql, text)
  if (probe.length === 0) return []
  const found: Found[] = []
  const add = (more: readonly Found[]) => {
    for (const entity of more) {
      const isNew = found.every(known => known.entityId !== entity.entityId)
      if (isNew && found.length < searchHits) found.push(entity)
    }
  }
  const number = registrationNumber(text)
  const addNumber = async ({ tickers, numbers, market }: RegistrationNumber) =>
    add(await findNumbers(sql, tickers, numbers, market, searchHits))
  if (number?.isShort === false) await addNumber(number)
  if (listingCode.test(probe.folded)) add(await findCodes(sql, probe.folded, searchHits))
  add(await findIds(sql, probe, searchHits + found.length))
  const isListed = (ticker: string) => squeeze(ticker).startsWith(probe.squeezed)
  for (const one of await findFormerSymbols(sql, probe, searchHits)) {
    const known = found.find(({ entityId }) => entityId === one.entityId)
    // The hit by a former ID has no days; this one has.
    if (known !== undefined && !isListed(known.ticker)) known.former ??= one.former
    else add([one])
  }
  if (number?.isShort) await addNumber(number)
  const addNames = async (names: SearchProbe) => {
    const missing = searchHits - found.length
    const seen = found.map(entity => entity.entityId)
    if (missing > 0 && names.length > 0) add(await findNames(sql, names, seen, missing))
  }
  await addNames(probe)
  for (const other of otherConjunctions(probe.folded)) await addNames(await makeProbe(sql, other))
  if (found.length < searchHits) add(await findFormerNames(sql, probe, searchHits))
  return found
}

const squeeze = (ticker: string) => ticker.toLowerCase().replace(/[^a-z0-9]/g, '')

/** A listing code of the Tokyo Stock Exchange. */
const listingCode = /^\d[\da-z]\d[\da-z]$/

const conjunction = /(?<= )(?:and|et|und|og)(?= )/g

/**
 * The same name with its conjunction spelled differently: a register may have `&` where people write a word,
 * or the reverse.
 */
function otherConjunctions(folded: string): string[] {
  const spaced = folded.replaceAll('&', ' & ')
  const others = [
    folded.replace(conjunction, '&'),
    ...['and', 'et'].map(word => spaced.replaceAll('&', word)),
  ]
  return [...new Set(others)].filter(other => other !== folded && other !== spaced)
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

/**
 * A registration number as people type it: 8 to 10 digits, grouped or not, with or without a suffix or prefix
 * (`BE0410682657`, `CIK0000320193`). SEC numbers may be shorter, because the SEC writes them with and without
 * leading zeros.
 */
interface RegistrationNumber {
  /** IDs that it may stand for. */
  readonly tickers: readonly string[]
  /** The register's own spellings. */
  readonly numbers: readonly string[]
  /** From the suffix or prefix; null without one. */
  readonly market: string | null
  /** True if it has so few digits that it may as well be the beginning of an ID. */
  readonly isShort: boolean
}

const shape = /^(?:(fr|be|dk|cik)[ .:-]*)?(\d(?:[\d .\u00a0-]*\d)?)(?:\.(fr|be|dk))?$/i
const digitsOf: Readonly<Record<string, number>> = { FR: 9, BE: 10, DK: 8 }
const cikDigits = 10

/** Null if the text is not such a number. A Belgian number may have lost its leading 0. */
function registrationNumber(text: string): RegistrationNumber | null {
  const [, prefix, typed = '', suffix] = shape.exec(text.normalize('NFKC').trim()) ?? []
  const digits = typed.replace(/\D/g, '')
  if (digits === '' || digits.length > cikDigits) return null
  const named = (suffix ?? prefix)?.toUpperCase() ?? null
  const market = named === 'CIK' ? 'US' : named
  const cik = digits.padStart(cikDigits, '0')
  if (market === 'US' || digits.length < 8) {
    return market === null || market === 'US'
      ? { tickers: [], numbers: [cik], market: 'US', isShort: market === null }
      : null
  }
  const numbers = digits.length === 9 ? [digits, `0${digits}`] : [digits, ...(market === null ? [cik] : [])]
  const tickers = Object.entries(digitsOf).flatMap(([code, length]) =>
    numbers.filter(number => number.length === length).map(number => `${number}.${code}`),
  )
  return { tickers, numbers, market, isShort: false }
}
