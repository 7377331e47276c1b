import { Failure } from '../../src/errors.ts'
import { registerOf } from '../../src/ingest/allRegisters.ts'
import { type ImportSummary, importFacts } from '../../src/ingest/import/importFacts.ts'
import type { ReadUnit } from '../../src/ingest/reading/progress.ts'
import { readImportedFiles } from '../../src/ingest/store/importQueries.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { readFilingShapes } from './filingShape.ts'
import { makeReportingCompany, planReportingCompany, type ReportingCompany } from './makeReportingCompany.ts'

export interface ReportedFilingsOptions {
  /** Filings are made until they have so many figures. */
  readonly figures: number
  readonly seed: number
  readonly source: string
  readonly onProgress: (progress: { readonly figures: number; readonly made: number }) => void
}

export interface ReportedFilings {
  readonly companies: number
  readonly filings: number
  readonly figures: number
  /** Figures that an earlier run has loaded. */
  readonly known: number
  readonly summary: ImportSummary
}

/** As many as decide which words are shared, so that the terms of a batch are those of an import. */
const companiesPerUnit = 6
/** A figure counts as an eighth of a fact, so a batch has 160,000 figures. */
const factsPerBatch = 20_000

/**
 * Loads companies that report in full, with the regular importer: it encodes the filings, shares their words and
 * writes them. Skips what an interrupted run has loaded. No more than three batches are in memory.
 */
export async function loadReportedFilings(
  sql: Sql,
  { figures: wanted, seed, source, onProgress }: ReportedFilingsOptions,
): Promise<ReportedFilings> {
  const shapes = await readFilingShapes()
  if (shapes === null)
    throw new Failure(
      'conflict',
      'Whole filings are made in the likeness of real ones, which are not on this machine (../shared/registers/us). Omit --figures.',
    )
  const known = await readImportedFiles(sql)
  const done = { companies: 0, filings: 0, figures: 0, known: 0 }
  const units = function* (): Generator<ReadUnit> {
    for (let first = 0; done.figures < wanted; first += companiesPerUnit) {
      const companies = Array.from({ length: companiesPerUnit }, (_, at) =>
        planReportingCompany(shapes, first + at, seed),
      )
      const contentKey = `bench-data figures ${seed} ${first}-${first + companiesPerUnit}`
      const isKnown = known.has(contentKey)
      const unit = isKnown ? null : unitOf(companies, contentKey)
      const sum = (field: 'filings' | 'figures') =>
        companies.reduce((all, company) => all + company[field], 0)
      done.companies += companies.length
      done.filings += sum('filings')
      done.figures += sum('figures')
      if (isKnown) done.known += sum('figures')
      onProgress({ figures: done.figures, made: done.figures - done.known })
      if (unit !== null) yield unit
    }
  }
  const { rules } = registerOf('US')
  const summary = await importFacts(sql, units(), { source, rules, isPart: true, factsPerBatch })
  return { ...done, summary }
}

function unitOf(companies: readonly ReportingCompany[], contentKey: string): ReadUnit {
  const made = companies.map(makeReportingCompany)
  return {
    parsed: made.map(({ parsed }) => parsed),
    wholeFilings: made.flatMap(({ wholeFilings }) => wholeFilings),
    receipt: { contentKey, name: contentKey },
  }
}
