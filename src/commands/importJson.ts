import { isoDate } from '../dates.ts'
import { balanceChecks } from '../facts/balanceChecks.ts'
import type { RegisterImport } from '../ingest/import/importRegister.ts'
import type { NamedFaults } from '../ingest/reading/namedFaults.ts'

const faults = ({ count, named }: NamedFaults) => ({ count, named })

/**
 * An import's result for programs. Only the lists of named figures are shortened; the counts beside them are
 * complete.
 */
export function importJson(market: string, { read, written }: RegisterImport, seconds: number): object {
  const { balances } = written
  return {
    market,
    documents: read.documents,
    documents_unchanged: read.documentsUnchanged,
    figures_read: read.figuresRead,
    seconds: Math.round(seconds * 1_000) / 1_000,
    reported_facts: written.reportedFacts,
    facts_added: written.factsAdded,
    facts_replaced: written.factsRemoved,
    repeats: written.repeats,
    unplaced: read.unplaced + written.unplaced,
    awaiting: written.undatedFilings,
    without_time: written.untimedFilings,
    left_out: Object.fromEntries(read.leftOut),
    malformed: { count: read.malformed, named: read.faults.named },
    contradictory: faults(read.contradictions),
    corrected: faults(written.corrections),
    future_filings: Object.fromEntries(
      [...read.futureFilings].map(([accession, day]) => [accession, isoDate(day)]),
    ),
    skipped: read.skipped.map(({ name, reason }) => ({ name, reason })),
    balance_checks: Object.fromEntries(
      balanceChecks
        .filter(check => balances.counts[check].checked > 0)
        .map(check => [check, balances.counts[check]]),
    ),
    data_version: written.dataVersion,
  }
}
