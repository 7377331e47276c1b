import { withoutTrailing } from '../../facts/spans.ts'
import type { Sql } from '../../postgres/client.ts'
import { loadTerms } from '../../wholeFilings/termQueries.ts'
import type { Terms } from '../../wholeFilings/terms.ts'

/** The tables of names that the fact tables refer to by number. */
export interface FactNames {
  readonly metrics: NameTable
  readonly units: NameTable
  readonly tags: NameTable
  /** The texts that the blocks of whole filings refer to by number. */
  readonly terms: Terms
}

export async function loadFactNames(sql: Sql): Promise<FactNames> {
  return {
    metrics: await NameTable.load(sql, 'metric'),
    units: await NameTable.load(sql, 'unit'),
    tags: await NameTable.load(sql, 'tag'),
    terms: await loadTerms(sql),
  }
}

/**
 * Gives every name in some figures a number. Together with trailing twelve months their metric gets one, too:
 * readers look them up by it, even if no company has a figure of the metric itself.
 */
export async function registerNames(
  { metrics, units, tags }: FactNames,
  figures: Iterable<{ readonly metric: string; readonly unit: string; readonly tag: string | null }>,
): Promise<void> {
  for (const { metric, unit, tag } of figures) {
    metrics.note(metric)
    units.note(unit)
    if (tag !== null) tags.note(tag)
  }
  metrics.noteWithoutTrailing()
  await metrics.insertNoted()
  await units.insertNoted()
  await tags.insertNoted()
}

/** Ensures that every name in some rows is known: a concurrent import may have written them. */
export async function learnNames(
  { metrics, units, tags }: FactNames,
  rows: readonly { metric_id: number; unit_id: number; tag_id: number | null }[],
): Promise<void> {
  if (!rows.every(row => metrics.has(row.metric_id))) await metrics.reload()
  if (!rows.every(row => units.has(row.unit_id))) await units.reload()
  if (!rows.every(row => row.tag_id === null || tags.has(row.tag_id))) await tags.reload()
}

/** The numbers of the names of metrics, units or tags. */
export class NameTable {
  private readonly ids = new Map<string, number>()
  private readonly names = new Map<number, string>()
  private readonly missing = new Set<string>()

  private constructor(
    private readonly sql: Sql,
    private readonly table: 'metric' | 'unit' | 'tag',
  ) {}

  static async load(sql: Sql, table: 'metric' | 'unit' | 'tag'): Promise<NameTable> {
    const names = new NameTable(sql, table)
    await names.reload()
    return names
  }

  id(name: string): number {
    const id = this.ids.get(name)
    if (id === undefined) throw new Error(`${this.table} ${name} is in a fact but has no number`)
    return id
  }

  has(id: number): boolean {
    return this.names.has(id)
  }

  name(id: number): string {
    const name = this.names.get(id)
    if (name === undefined) throw new Error(`${this.table} ${id} is in a fact but not in its table`)
    return name
  }

  /** Notes a name. If it has no number yet, `insertNoted` will assign one. */
  note(name: string): void {
    if (!this.ids.has(name)) this.missing.add(name)
  }

  /** For each noted trailing metric, also notes the metric itself. */
  noteWithoutTrailing(): void {
    for (const name of this.missing) this.note(withoutTrailing(name))
  }

  /**
   * Gives a number to every noted name without one. Committed at once: a batch that fails leaves at most an
   * unused name.
   */
  async insertNoted(): Promise<void> {
    if (this.missing.size === 0) return
    await this.sql`
      insert into ${this.sql(this.table)} (name)
      select name from unnest(${[...this.missing].sort()}::text[]) as new (name)
      where not exists (select 1 from ${this.sql(this.table)} known where known.name = new.name)
      on conflict do nothing`
    this.missing.clear()
    await this.reload()
  }

  /** Reads the table again: another import may have added to it. */
  async reload(): Promise<void> {
    const rows = await this.sql<{ id: number; name: string }[]>`
      select ${this.sql(`${this.table}_id`)} as id, name from ${this.sql(this.table)}`
    for (const { id, name } of rows) {
      this.ids.set(name, id)
      this.names.set(id, name)
    }
  }
}
