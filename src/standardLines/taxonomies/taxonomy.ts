import type { Sum } from '../../wholeFilings/wholeFiling.ts'

export type SchemaName = 'income' | 'balance' | 'cash_flow'

/** What a register's schema says of its tags: which of them are standard lines, in which order, and what adds up. */
export interface Taxonomy {
  /** Whether a tag is defined by this taxonomy; a filing belongs to the first taxonomy that defines one of its tags. */
  readonly defines: (tag: string) => boolean
  /**
   * How much of the schema a filing with these tags states. `complete`: every line that is not empty. `partial`: filers add
   * lines of their own, or not all are known here, so that a sum that does not hold contradicts nothing. Null: too little for
   * sums to prove anything.
   */
  readonly extentOf: (tags: ReadonlySet<string>) => 'complete' | 'partial' | null
  /**
   * Whether a total of equity or of net income without a line of minority interests beside it belongs to the owners alone.
   *
   * @param isAlone whether the statement is that of a company without its group
   */
  readonly ownersHaveAll: (statement: SchemaName, isAlone: boolean) => boolean
  /** Whether a label says that a line is not the one that its tag means, such as a net change under a tag of payments. */
  readonly contradicts?: (label: string, line: string) => boolean
  readonly statements: Readonly<Record<SchemaName, SchemaStatement>>
}

export interface SchemaStatement {
  /** By tag or by label (`nameOfLabel`), in the order of the schema. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>
  readonly sums: readonly SchemaSum[]
}

export interface SchemaSum {
  readonly total: string
  readonly items: Sum['items']
}

/** What a tag means. */
export interface Meaning {
  /** The standard line; null for a line of the schema that has none. */
  readonly line: string | null
  /** Tags of a later group are used only if the statement has none of an earlier one. */
  readonly group: number
  /** Tags of a group that adds several are the parts of the line. */
  readonly adds: boolean
  /** Whether the schema states the line with the opposite sign. */
  readonly isNegated: boolean
  /** The standard line of the total in whose section the tag has this meaning; null for any. */
  readonly section: string | null
  /** A standard line that the statement must have for the tag to have this meaning; null for none. */
  readonly beside: string | null
}

/**
 * Reads a table of a schema. A row is a standard line (`.` for none) and its tags:
 *
 *     inventory    RawMaterials + Merchandise | Inventories
 *
 * `|` separates groups, and tags between `+` are added; other tags of a group are alternatives. `-Tag` is stated with the
 * opposite sign, `Tag@current_assets` counts only among current assets, and `Tag&goodwill` only beside a line of goodwill. The
 * first meaning that fits counts. A row `Total = Item + Item - Item` is a sum.
 *
 * @param prefixes the taxonomies' prefixes by the abbreviation that the table uses; `` for tags without one
 */
export function readTable(text: string, prefixes: Readonly<Record<string, string>>): SchemaStatement {
  const meanings = new Map<string, Meaning[]>()
  const sums: SchemaSum[] = []
  const full = (tag: string) => {
    const colon = tag.indexOf(':')
    const prefix = prefixes[colon < 0 ? '' : tag.slice(0, colon)]
    if (isLabel(tag) || prefix === undefined) return tag
    return `${prefix}:${tag.slice(colon + 1)}`
  }
  for (const row of text.split('\n').map(each => each.trim())) {
    if (row === '') continue
    const equals = row.split(/\s+=\s+/)
    if (equals.length === 2) sums.push(readSum(equals[0], equals[1], full))
    else {
      const [, name, rest] = /^(\S+)\s+(.*)$/.exec(row) ?? ['', row, '']
      rest.split(/\s+\|\s+/).forEach((group, index) => {
        const tags = group.split(/\s+/).filter(tag => tag !== '+')
        for (const written of tags) {
          const [, minus, tag, section = null, beside = null] = /^(-?)([^@&]+)(?:@(\w+))?(?:&(\w+))?$/.exec(
            written,
          ) ?? ['', '', written]
          const meaning = {
            line: name === '.' ? null : name,
            group: index,
            adds: / \+ /.test(group),
            isNegated: minus === '-',
            section,
            beside,
          }
          meanings.set(full(tag), [...(meanings.get(full(tag)) ?? []), meaning])
        }
      })
    }
  }
  return { meanings, sums }
}

function readSum(total: string, items: string, full: (tag: string) => string): SchemaSum {
  const found = [...` + ${items}`.matchAll(/\s([+-])\s+(\S+)/g)]
  return {
    total: full(total),
    items: found.map(([, sign, tag]) => ({ concept: full(tag), weight: sign === '-' ? -1 : 1 })),
  }
}

/** Korean and Japanese names in a table are labels, not tags. */
const isLabel = (tag: string) => !/^\w/.test(tag)

/** Schemas of several taxonomies that one filing may use side by side. */
export const joined = (...parts: readonly SchemaStatement[]): SchemaStatement => {
  const meanings = new Map<string, readonly Meaning[]>()
  for (const part of parts)
    for (const [tag, more] of part.meanings) meanings.set(tag, [...(meanings.get(tag) ?? []), ...more])
  return { meanings, sums: parts.flatMap(({ sums }) => sums) }
}

export const emptySchema: SchemaStatement = { meanings: new Map(), sums: [] }

/** A label without spaces, numbering and what is in brackets: `Ⅰ. 매출채권 (주4)` becomes `매출채권`. */
export const nameOfLabel = (label: string): string =>
  label
    .replace(/\s+/g, '')
    .replace(/[(（＜<][^)）＞>]*[)）＞>]/g, '')
    .replace(/^(?:[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫIVX\d]+[.．)]|[-·ㆍ*])+/, '')
    .replace(/[:：,]+$/, '')
