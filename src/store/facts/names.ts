import type { Sql } from '../database.ts'

type NameTable = 'metric' | 'unit' | 'tag'

/** The numbers that stand for names of metrics, units and tags in the fact tables. */
export class Names {
  private readonly ids = new Map<string, number>()
  private readonly texts = new Map<number, string>()
  private readonly column: string

  private constructor(
    private readonly sql: Sql,
    private readonly table: NameTable,
  ) {
    this.column = `${table}_id`
  }

  static async load(sql: Sql, table: NameTable): Promise<Names> {
    const names = new Names(sql, table)
    await names.read()
    return names
  }

  /** Registers the names that are new. Committed at once: a batch that fails leaves at most an unused name. */
  async ensure(wanted: Iterable<string>): Promise<void> {
    const missing = [...new Set(wanted)].filter(name => !this.ids.has(name)).sort()
    if (missing.length === 0) return
    await this.sql`
      insert into ${this.sql(this.table)} (name)
      select name from unnest(${missing}::text[]) as new (name)
      where not exists (select 1 from ${this.sql(this.table)} known where known.name = new.name)
      on conflict do nothing`
    await this.read()
  }

  id(name: string): number {
    const id = this.ids.get(name)
    if (id === undefined) throw new Error(`${this.table} ${name} was not registered before use`)
    return id
  }

  name(id: number): string {
    const name = this.texts.get(id)
    if (name === undefined) throw new Error(`${this.table} ${id} is in a fact and not in its table`)
    return name
  }

  private async read(): Promise<void> {
    const rows = await this.sql<{ id: number; name: string }[]>`
      select ${this.sql(this.column)} as id, name from ${this.sql(this.table)}`
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
