import { isoDate } from '../../dates.ts'
import type { SettledTimes } from '../../facts/clockReadings.ts'
import type { Announcement } from '../../facts/registerStatements.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { copyTimestampText } from '../../postgres/copy.ts'

/**
 * Stores announcements of results, and updates the times of those on record. The resulting rows do not depend on the
 * order of imports.
 *
 * @param times the instants that all readings on record determine, for every filing whose instant this batch may change
 */
export async function saveAnnouncements(
  transaction: TransactionSql,
  announcements: readonly Announcement[],
  times: SettledTimes,
): Promise<void> {
  const timeOf = (accession: string) => {
    const at = times.get(accession) ?? null
    return at === null ? null : copyTimestampText(at)
  }
  await updateTimes(transaction, [...times.keys()], timeOf)
  if (announcements.length === 0) return
  await transaction`
    insert into announcement as known (market, issuer_id, accession, form, filed, accepted_at)
    select market, issuer_id, accession, min(form), max(filed), max(accepted_at)
    from unnest(
      ${announcements.map(({ market }) => market)}::text[], ${announcements.map(({ issuerId }) => issuerId)}::text[],
      ${announcements.map(({ filing }) => filing.accession)}::text[],
      ${announcements.map(({ filing }) => filing.form)}::text[],
      ${announcements.map(({ filing }) => isoDate(filing.filed))}::date[],
      ${announcements.map(({ filing }) => timeOf(filing.accession))}::timestamptz[]
    ) as stated (market, issuer_id, accession, form, filed, accepted_at)
    group by market, issuer_id, accession
    on conflict (market, issuer_id, accession) do update set
      form = least(known.form, excluded.form), filed = greatest(known.filed, excluded.filed)
    where (least(known.form, excluded.form), greatest(known.filed, excluded.filed)) is distinct from (known.form, known.filed)`
}

async function updateTimes(
  transaction: TransactionSql,
  accessions: readonly string[],
  timeOf: (accession: string) => string | null,
): Promise<void> {
  if (accessions.length === 0) return
  await transaction`
    update announcement a set accepted_at = settled.accepted_at
    from unnest(${[...accessions]}::text[], ${accessions.map(timeOf)}::timestamptz[]) as settled (accession, accepted_at)
    where a.accession = settled.accession and a.accepted_at is distinct from settled.accepted_at`
}
