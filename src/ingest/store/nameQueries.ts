import type { Sql } from '../../postgres/client.ts'

type NameTable = 'metric' | 'unit' | 'tag'

/** The numbers that stand for names of metrics, units or tags in the fact tables. */
export class Names {
  private readonly ids = new Map<string, number>()
  private readonly texts = new Map<number, string>()
  private readonly missing = new Set<string>()

  private constructor(
    private readonly sql: Sql,
    private readonly table: NameTable,
  ) {}

  static async load(sql: Sql, table: NameTable): Promise<Names> {
    const names = new Names(sql, table)
    await names.read()
    return names
  }

  /** Remembers a name that has no number yet for `register`. */
  ask(name: string): void {
    if (!this.ids.has(name)) this.missing.add(name)
  }

  id(name: string): number {
    const id = this.ids.get(name)
    if (id === undefined) throw new Error(`${this.table} ${name} is in a fact and has no number`)
    return id
  }

  has(id: number): boolean {
    return this.texts.has(id)
  }

  name(id: number): string {
    const name = this.texts.get(id)
    if (name === undefined) throw new Error(`${this.table} ${id} is in a fact and not in its table`)
    return name
  }

  /** Gives a number to every name that was asked for and has none. Committed at once: a batch that fails leaves at most an
   * unused name. */
  async register(): Promise<void> {
    if (this.missing.size === 0) return
    await this.sql`
      insert into ${this.sql(this.table)} (name)
      select name from unnest(${[...this.missing].sort()}::text[]) as new (name)
      where not exists (select 1 from ${this.sql(this.table)} known where known.name = new.name)
      on conflict do nothing`
    this.missing.clear()
    await this.read()
  }

  /** Reads the table again: another import may have added to it. */
  async read(): Promise<void> {
    const rows = await this.sql<{ id: number; name: string }[]>`
      select ${this.sql(`${this.table}_id`)} as id, name from ${this.sql(this.table)}`
    for (const { id, name } of rows) {
      this.ids.set(name, id)
      this.texts.set(id, name)
    }
  }
}

export interface FactNames {
  readonly metrics: Names
  readonly units: Names
  readonly tags: Names
}

export async function loadFactNames(sql: Sql): Promise<FactNames> {
  return {
    metrics: await Names.load(sql, 'metric'),
    units: await Names.load(sql, 'unit'),
    tags: await Names.load(sql, 'tag'),
  }
}

/** Makes sure that every name in some rows is known: another import that runs beside this one may have written them. */
export async function learnNames(
  { metrics, units, tags }: FactNames,
  rows: readonly { metric_id: number; unit_id: number; tag_id: number | null }[],
): Promise<void> {
  if (!rows.every(row => metrics.has(row.metric_id))) await metrics.read()
  if (!rows.every(row => units.has(row.unit_id))) await units.read()
  if (!rows.every(row => row.tag_id === null || tags.has(row.tag_id))) await tags.read()
}

export interface Named {
  readonly metric: string
  readonly unit: string
  readonly tag: string | null
}

/** Gives every name in some figures a number. */
export async function registerNames(
  { metrics, units, tags }: FactNames,
  figures: Iterable<Named>,
): Promise<void> {
  for (const { metric, unit, tag } of figures) {
    metrics.ask(metric)
    units.ask(unit)
    if (tag !== null) tags.ask(tag)
  }
  await metrics.register()
  await units.register()
  await tags.register()
}
