import type { IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'

/** One registrant's succession by another. */
export interface Succession {
  readonly predecessor: Registrant
  readonly successor: Registrant
  /** The first day of the successor. */
  readonly from: IsoDate
  /** The day on which the succession became public. Lineages include it from this day on. */
  readonly known: IsoDate
  /** `filing` if the document is on record; `known` is then its filing day. */
  readonly source: 'filing' | 'register' | 'operator'
  /** The accession of the filing that states the succession; null: the source names none. */
  readonly document: string | null
}

export interface Registrant {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly market: string
}

interface SuccessionRow extends Omit<Succession, 'predecessor' | 'successor'> {
  readonly market: string
  readonly predecessorId: number
  readonly predecessorTicker: string
  readonly predecessor: string
  readonly successorId: number
  readonly successorTicker: string
  readonly successor: string
}

/** Forms by which a registrant reports that it is a successor: 8-K12B, 8-K12G3, 8-K15D5 and their amendments. */
const successorForms = '^8-K(12B|12G3|15D5)'

/** Every succession of companies on record. There are few: a register has a handful a year. */
export async function readSuccessions(sql: SqlClient): Promise<readonly Succession[]> {
  const rows = await sql<SuccessionRow[]>`
    select c.market, c.predecessor, c.successor, p.entity_id as "predecessorId", p.ticker as "predecessorTicker",
           s.entity_id as "successorId", s.ticker as "successorTicker", c.from_day as "from",
           coalesce(f.filed, c.known) as known, case when f.filed is null then c.source else 'filing' end as source,
           c.document
    from succession c
    join entity p on p.market || '' = c.market and p.issuer_id = c.predecessor
    join entity s on s.market || '' = c.market and s.issuer_id = c.successor
    left join filing f on f.accession = c.document and f.form ~ ${successorForms} and f.filed < 'infinity'
    order by c.from_day, c.market, c.predecessor, c.successor`
  return rows.map(row => ({
    predecessor: {
      entityId: row.predecessorId,
      ticker: row.predecessorTicker,
      issuerId: row.predecessor,
      market: row.market,
    },
    successor: {
      entityId: row.successorId,
      ticker: row.successorTicker,
      issuerId: row.successor,
      market: row.market,
    },
    from: row.from,
    known: row.known,
    source: row.source,
    document: row.document,
  }))
}
