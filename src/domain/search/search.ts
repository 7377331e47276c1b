import { Failure } from '../../errors.ts'
import { type SearchHit, searchCharacters, searchHits } from '../../model/search.ts'
import type { Sql } from '../../store/database.ts'
import { findIds } from '../../store/search/findIds.ts'
import { findNames } from '../../store/search/findNames.ts'
import { findNumbers } from '../../store/search/findNumbers.ts'
import { type FoundEntity, makeProbe } from '../../store/search/probe.ts'
import { registrationNumber } from './registrationNumber.ts'

/** Up to eight entities for a name, a symbol or a registration number: the number first, then the exact ID,
 * IDs that begin with the text, names that do, names that hold it. Each comes once, at its best level. */
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
  if (q.includes('\0')) throw invalid('q holds a NUL character')
  if (!q.isWellFormed()) throw invalid('q holds half of a character (a lone surrogate)')
  const text = q.trim()
  if (text === '') throw invalid('q is empty')
  // Twice as many code units hold at least as many characters.
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
