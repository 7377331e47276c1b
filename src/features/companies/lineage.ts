import { type Static, Type } from '@sinclair/typebox'
import type { IsoDate } from '../../dates.ts'
import { type AsOf, isInstant, lastEndedDay } from '../../instants.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { CompanyDirectory } from './directory.ts'
import { type Registrant, readSuccessions, type Succession } from './lineageQueries.ts'

const strict = { additionalProperties: false } as const

export const LineageParameter = Type.Union([Type.Literal('follow'), Type.Literal('none')], {
  default: 'none',
  description:
    'none: the figures of one registrant. follow: also those of its predecessors and successors, if the succession was known on as_of. Successions come from lists that the operator of this service imports, which may name the filing that states them (8-K12B, 8-K12G3, 8-K15D5). Each row names its registrant (`issuer_id`), and `lineage` lists the registrants and the days on which they succeeded one another.',
  examples: ['follow'],
})

const LineageRegistrant = Type.Object(
  {
    ticker: Type.String({ description: 'Its current ID.', examples: ['XOM'] }),
    issuer_id: Type.String({ description: "The register's own number.", examples: ['0002115436'] }),
  },
  { ...strict, $id: 'LineageRegistrant' },
)

const LineageSeam = Type.Object(
  {
    predecessor: Type.String({
      description: 'Register number of the predecessor.',
      examples: ['0000034088'],
    }),
    successor: Type.String({ description: 'Register number of the successor.', examples: ['0002115436'] }),
    from: Type.String({ format: 'date', description: 'First day of the successor.' }),
    known: Type.String({ format: 'date', description: 'Day on which the succession was public.' }),
    source: Type.Union([Type.Literal('filing'), Type.Literal('register'), Type.Literal('operator')], {
      description: 'Source of the succession. filing: the filing `document` is on record.',
    }),
    document: Type.Union([Type.String(), Type.Null()], {
      description: 'Accession of the filing that states the succession; null: the source names none.',
    }),
  },
  { ...strict, $id: 'LineageSeam' },
)

export const Lineage = Type.Object(
  {
    registrants: Type.Array(LineageRegistrant, { description: 'Earliest first.' }),
    seams: Type.Array(LineageSeam, { description: 'Successions, in order of `from`.' }),
  },
  { ...strict, $id: 'Lineage' },
)
export type Lineage = Static<typeof Lineage>

/** A lineage as known on a day: registrants that continue one another's business. */
export interface KnownLineage {
  /** Earliest first. */
  readonly registrants: readonly Registrant[]
  /** In order of their days. */
  readonly seams: readonly Succession[]
}

/** @param directory caches; without it every lookup queries the database */
export const successionsOf = (sql: SqlClient, directory?: CompanyDirectory): Promise<readonly Succession[]> =>
  directory?.successions() ?? readSuccessions(sql)

/**
 * The lineage of a company as known on a day or at an instant; null if it has neither predecessor nor successor. Only
 * the day of a succession's document is known, so as of an instant the succession counts from the end of that day.
 */
export function lineageOf(
  successions: readonly Succession[],
  entityId: number,
  asOf: AsOf,
): KnownLineage | null {
  const day = isInstant(asOf) ? lastEndedDay(asOf) : asOf
  const known = successions.filter(succession => succession.known <= day)
  const members = new Map<number, Registrant>()
  const seams = new Set<Succession>()
  const open = [entityId]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const seam of known) {
      const { predecessor, successor } = seam
      if (predecessor.entityId !== id && successor.entityId !== id) continue
      seams.add(seam)
      for (const registrant of [predecessor, successor]) {
        if (members.has(registrant.entityId)) continue
        members.set(registrant.entityId, registrant)
        open.push(registrant.entityId)
      }
    }
  }
  if (seams.size === 0) return null
  const inOrder = known.filter(seam => seams.has(seam))
  const began = (registrant: Registrant) =>
    inOrder.findLast(({ successor }) => successor.entityId === registrant.entityId)?.from ?? ''
  const registrants = [...members.values()].sort((a, b) =>
    `${began(a)} ${a.issuerId}` < `${began(b)} ${b.issuerId}` ? -1 : 1,
  )
  return { registrants, seams: inOrder }
}

/** Another registrant of a company's lineage, and the first day on which it is known to be one. */
export interface Kin {
  readonly registrant: Registrant
  readonly known: IsoDate
}

/** All other registrants of a company's lineage, each with the day on which it becomes known. */
export function kinOf(successions: readonly Succession[], entityId: number): Kin[] {
  const days = [...new Set(successions.map(({ known }) => known))].sort()
  const kin = new Map<number, Kin>()
  for (const known of days)
    for (const registrant of lineageOf(successions, entityId, known)?.registrants ?? [])
      if (registrant.entityId !== entityId && !kin.has(registrant.entityId))
        kin.set(registrant.entityId, { registrant, known })
  return [...kin.values()]
}

/** A lineage in the format of answers. */
export const lineageShown = ({ registrants, seams }: KnownLineage): Lineage => ({
  registrants: registrants.map(({ ticker, issuerId }) => ({ ticker, issuer_id: issuerId })),
  seams: seams.map(({ predecessor, successor, from, known, source, document }) => ({
    predecessor: predecessor.issuerId,
    successor: successor.issuerId,
    from,
    known,
    source,
    document,
  })),
})

/** A note for answers without the figures that the company has under other registrants. */
export function lineageNote({ seams }: KnownLineage, entityId: number): string {
  const parts = seams.flatMap(({ predecessor, successor, from }) => {
    if (successor.entityId === entityId)
      return [`Before ${from} it reported as registrant ${predecessor.issuerId} (${predecessor.ticker}).`]
    if (predecessor.entityId === entityId)
      return [`From ${from} on it reports as registrant ${successor.issuerId} (${successor.ticker}).`]
    return []
  })
  return [...parts, 'Send lineage=follow for both.'].join(' ')
}
