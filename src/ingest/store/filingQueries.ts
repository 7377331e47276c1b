import { type Filing, untold } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopy, copyChunks, copyDay, copyTime } from '../../postgres/copy.ts'

interface FilingRecord {
  filing_id: number
  accession: string
  form: string
  filed: string
  accepted_at: Date | null
}

/** The numbers under which facts name their filings. */
export class FilingNumbers {
  readonly #ids = new Map<string, number>()

  set(accession: string, id: number): void {
    this.#ids.set(accession, id)
  }

  id(accession: string): number {
    const id = this.#ids.get(accession)
    if (id === undefined) throw new Error(`filing ${accession} has a fact and is not on record`)
    return id
  }
}

/** The filings on record among `accessions`, and into `numbers` their numbers. */
export async function readFilings(
  transaction: TransactionSql,
  accessions: readonly string[],
  numbers: FilingNumbers,
): Promise<Map<string, Filing>> {
  if (accessions.length === 0) return new Map()
  const rows = await transaction<FilingRecord[]>`
    select filing_id, accession, form, filed, accepted_at from filing where accession = any(${accessions}::text[])`
  return new Map(
    rows.map(row => {
      numbers.set(row.accession, row.filing_id)
      return [
        row.accession,
        {
          accession: row.accession,
          form: row.form,
          filed: row.filed === 'infinity' ? untold : Date.parse(`${row.filed}T00:00:00Z`) / 86_400_000,
          acceptedAt: row.accepted_at?.getTime() ?? null,
        },
      ]
    }),
  )
}

/** Every filing on record of some entities. */
export async function readFilingsOfEntities(
  transaction: TransactionSql,
  entityIds: readonly number[],
): Promise<readonly { id: number; accession: string; entityId: number }[]> {
  if (entityIds.length === 0) return []
  return transaction<{ id: number; accession: string; entityId: number }[]>`
    select filing_id as id, accession, entity_id as "entityId" from filing where entity_id = any(${entityIds}::int[])`
}

/** Forgets filings that no row comes from. */
export async function removeFilings(transaction: TransactionSql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction`delete from filing where filing_id = any(${ids}::int[])`
}

export interface OwnedFiling {
  readonly entityId: number
  readonly filing: Filing
}

/** Numbers are taken from the sequence first, so that nothing has to be asked back. */
export async function addFilings(
  transaction: TransactionSql,
  added: readonly OwnedFiling[],
  numbers: FilingNumbers,
): Promise<void> {
  if (added.length === 0) return
  const taken = await transaction<{ id: number }[]>`
    select nextval(numbers.name)::int as id
    from (select pg_get_serial_sequence('filing', 'filing_id')::regclass as name offset 0) numbers,
         generate_series(1, ${added.length}::int)`
  added.forEach(({ filing }, place) => {
    numbers.set(filing.accession, taken[place].id)
  })
  await copyChunks(
    transaction,
    'copy filing (filing_id, accession, entity_id, form, filed, accepted_at) from stdin (format binary)',
    encodeFilings(added, numbers),
  )
}

function* encodeFilings(added: readonly OwnedFiling[], numbers: FilingNumbers): Generator<Uint8Array> {
  const copy = new BinaryCopy(6)
  for (const { entityId, filing } of added) {
    copy.row()
    copy.integer(numbers.id(filing.accession))
    copy.text(filing.accession)
    copy.integer(entityId)
    copy.text(filing.form)
    copy.date(filing.filed)
    copy.time(filing.acceptedAt)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

/** Sources complete one another: what is known of a filing may get better, never less. */
export async function amendFilings(transaction: TransactionSql, amended: readonly Filing[]): Promise<void> {
  if (amended.length === 0) return
  await transaction`
    update filing set form = better.form, filed = better.filed, accepted_at = better.accepted_at
    from unnest(
      ${amended.map(filing => filing.accession)}::text[],
      ${amended.map(filing => filing.form)}::text[],
      ${amended.map(filing => copyDay(filing.filed))}::date[],
      ${amended.map(filing => (filing.acceptedAt === null ? null : copyTime(filing.acceptedAt)))}::timestamptz[]
    ) as better (accession, form, filed, accepted_at)
    where filing.accession = better.accession`
}
