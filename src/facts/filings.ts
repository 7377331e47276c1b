import { type Filing, type Statement, untold } from './reportedFact.ts'

export interface FiledStatements {
  readonly filing: Filing
  readonly statements: readonly Statement[]
}

/** Statements by filing, in the order of filing: day, acceptance time (unknown first), accession. What several
 * sources say of one filing is made one. */
export function gatherFilings(
  statements: readonly Statement[],
  known: ReadonlyMap<string, Filing>,
): readonly FiledStatements[] {
  const gathered = new Map<string, { filing: Filing; statements: Statement[] }>()
  for (const statement of statements) {
    const { filing } = statement
    const entry = gathered.get(filing.accession)
    if (entry === undefined) {
      const other = known.get(filing.accession)
      const merged = other === undefined ? filing : mergeFilings(filing, other)
      gathered.set(filing.accession, { filing: merged, statements: [statement] })
    } else {
      if (entry.filing !== filing) entry.filing = mergeFilings(entry.filing, filing)
      entry.statements.push(statement)
    }
  }
  return [...gathered.values()].sort((a, b) => compareFilings(a.filing, b.filing))
}

/** Sources agree on a filing but for what they leave out. Where they do not, the later day counts: nothing may be
 * seen before it was filed. One that knows no day gives way to one that does. */
export function mergeFilings(a: Filing, b: Filing): Filing {
  if (b.filed === untold && a.filed !== untold) return a
  if (a.filed === untold && b.filed !== untold) return b
  const filed = Math.max(a.filed, b.filed)
  const form = [a.form, b.form].sort()[0]
  const acceptedAt =
    a.acceptedAt === null
      ? b.acceptedAt
      : b.acceptedAt === null
        ? a.acceptedAt
        : Math.min(a.acceptedAt, b.acceptedAt)
  if (filed === a.filed && form === a.form && acceptedAt === a.acceptedAt) return a
  return { accession: a.accession, form, filed, acceptedAt }
}

export function compareFilings(a: Filing, b: Filing): number {
  if (a.filed !== b.filed) return a.filed - b.filed
  if (a.acceptedAt !== b.acceptedAt) return (a.acceptedAt ?? -1) - (b.acceptedAt ?? -1)
  return a.accession < b.accession ? -1 : a.accession > b.accession ? 1 : 0
}
