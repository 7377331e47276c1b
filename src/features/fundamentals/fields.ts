import { Failure } from '../../errors.ts'
import { type Column, columns } from '../../formats/columns.ts'
import { documentUrl } from '../../markets/documents.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { PresentedLine } from '../../wholeFilings/presentedLine.ts'
import type { StoredProvenance } from './provenanceQueries.ts'
import type { FundamentalsRow } from './schema.ts'

/** The columns that say where a figure comes from, in their order after the other columns. */
export const provenanceSheet = columns({
  accession: 'text',
  form: 'text',
  tag: 'text',
  start: 'day',
  accepted_at: 'text',
  inputs: 'text',
  url: 'text',
  check: 'text',
  statement: 'text',
  line: 'whole',
  label: 'text',
}) satisfies readonly Column<keyof FundamentalsRow>[]

export type ProvenanceField = (typeof provenanceSheet)[number]['name']

/** Every row has these fields; naming them is allowed. */
const always = ['until', 'kind'] as const
export const fieldNames: readonly string[] = [...provenanceSheet.map(({ name }) => name), ...always]

/** The parameter `fields`. The columns' order is fixed, so that files of two requests fit together. */
export function readFields(sent: string | undefined): readonly ProvenanceField[] {
  if (sent === undefined) return []
  const wanted = sent.split(',').map(name => name.trim().toLowerCase())
  const unknown = wanted.find(name => !fieldNames.includes(name))
  const repeated = wanted.find((name, index) => wanted.indexOf(name) !== index)
  if (unknown === undefined && repeated === undefined) {
    return provenanceSheet.map(({ name }) => name).filter(name => wanted.includes(name))
  }
  const fault = unknown === undefined ? `has ${repeated} more than once` : `has ${unknown || 'an empty name'}`
  throw new Failure(
    'parameter_invalid',
    `fields=${sent.slice(0, 80)} ${fault}. Send some of ${fieldNames.join(', ')}, separated by commas.`,
    { param: 'fields' },
  )
}

/** The chosen fields of a row. */
export function provenanceOf(
  row: Partial<StoredProvenance> & { readonly derived: boolean },
  fields: readonly ProvenanceField[],
  {
    manifest,
    issuerId,
    line,
  }: {
    readonly manifest: Manifest | undefined
    readonly issuerId: string
    readonly line: PresentedLine | null
  },
): Partial<Pick<FundamentalsRow, ProvenanceField>> {
  const { accession = null } = row
  const all: Required<Pick<FundamentalsRow, ProvenanceField>> = {
    accession,
    form: row.form ?? null,
    tag: row.tag ?? null,
    start: row.start ?? null,
    accepted_at: row.acceptedAt ?? null,
    inputs: row.derived ? [...(row.inputs ?? []), ...(accession === null ? [] : [accession])].sort() : null,
    url: accession === null ? null : documentUrl(manifest, issuerId, accession),
    check: row.check ?? 'unchecked',
    statement: line?.statement ?? null,
    line: line?.line ?? null,
    label: line?.label ?? null,
  }
  return Object.fromEntries(fields.map(name => [name, all[name]]))
}
