/** What a migration does to a database in use, read from its statements. It errs on the side of caution: what it does not know counts
 * as long, and as nothing that an older server can go on with. */
export interface MigrationEffects {
  /** The sentences of its opening comment. */
  readonly why: string
  /** What its author says of the upgrade, from a comment line `-- Upgrade: ...`; null: nothing. */
  readonly note: string | null
  /** Existing tables, each with what is done to it. */
  readonly touched: readonly TableEffect[]
  /** Why servers of the version before must not run afterwards; null: they may. */
  readonly breaks: string | null
}

export interface TableEffect {
  /** As it is written, with its schema if that is not `public`. */
  readonly table: string
  /** `lock`: for a moment. `scan`: every row is read while writes wait. `index`: writes wait while it is built. `rows`: rows are
   * written. `rewrite`: the table is written anew while readers wait. */
  readonly kind: 'lock' | 'scan' | 'index' | 'rows' | 'rewrite'
}

const name = String.raw`(?:only\s+|if\s+(?:not\s+)?exists\s+)*([a-z_][\w.]*)`
const match = (pattern: string, text: string) => new RegExp(`^${pattern}`, 'i').exec(text)?.[1]?.toLowerCase()

export function readEffects(text: string): MigrationEffects {
  const made = new Set<string>()
  const touched = new Map<string, TableEffect>()
  const broken: string[] = []
  const touch = (table: string | undefined, kind: TableEffect['kind']) => {
    if (table !== undefined && !made.has(table)) touched.set(`${table} ${kind}`, { table, kind })
  }
  for (const statement of statementsOf(text)) {
    const created = match(`create\\s+(?:unlogged\\s+)?table\\s+${name}`, statement)
    if (created !== undefined) {
      made.add(created)
      for (const table of tablesRead(statement)) touch(table, 'scan')
      continue
    }
    touch(match(`create\\s+(?:unique\\s+)?index[\\s\\S]*?\\son\\s+${name}`, statement), 'index')
    touch(match(`(?:update|delete\\s+from)\\s+${name}`, statement), 'rows')
    if (/^(?:with|insert)\b/i.test(statement)) for (const table of tablesRead(statement)) touch(table, 'rows')
    const altered = match(`alter\\s+table\\s+${name}`, statement)
    if (altered !== undefined) touch(altered, effectOfAlter(statement))
    const triggered = match(
      `create\\s+(?:or\\s+replace\\s+)?(?:constraint\\s+)?trigger[\\s\\S]*?\\son\\s+${name}`,
      statement,
    )
    touch(triggered, 'lock')
    const reason = breaking(statement, altered ?? triggered, made)
    if (reason !== null) broken.push(reason)
  }
  const note = /^-- Upgrade: (.+)$/m.exec(text)?.[1] ?? null
  const isRolling = note !== null && /^rolling\b/i.test(note)
  return {
    why: whyOf(text),
    note,
    touched: [...touched.values()],
    breaks: isRolling || broken.length === 0 ? null : [...new Set(broken)].slice(0, 3).join(', '),
  }
}

/** The opening comment up to a blank line, as one line. */
function whyOf(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex(line => !line.startsWith('--'))
  const words = lines
    .slice(0, end === -1 ? lines.length : end)
    .filter(line => !line.startsWith('-- Upgrade: '))
    .map(line => line.replace(/^--\s?/, ''))
  return words
    .join(' ')
    .replace(/^Why:\s*/, '')
    .trim()
}

/** Statements without comments, and with each body of a function as an empty text: it may contain anything. */
function statementsOf(text: string): string[] {
  return text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/--[^\n]*/g, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
}

/** Tables after `from` and `join`. Names of functions and of subqueries are no tables of the catalogue, and drop out there. */
const tablesRead = (statement: string): string[] =>
  [...statement.matchAll(/\b(?:from|join)\s+([a-z_][\w.]*)(?!\s*\()/gi)].map(([, table]) =>
    table.toLowerCase(),
  )

function effectOfAlter(statement: string): TableEffect['kind'] {
  if (
    /\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b|\bgenerated\s+always\s+as\s*\(|\bdefault\s+(?:gen_random_uuid|clock_timestamp|random)\b|\bgenerated\s+\w+(?:\s+by\s+default)?\s+as\s+identity\b/i.test(
      statement,
    )
  )
    return 'rewrite'
  if (
    /\bset\s+not\s+null\b|\badd\s+(?:constraint|check|primary|unique|foreign)\b|\breferences\b/i.test(
      statement,
    )
  )
    return 'scan'
  return 'lock'
}

/** Why a server of the version before might fail or do wrong after a statement; null: it only adds. */
function breaking(statement: string, table: string | undefined, made: ReadonlySet<string>): string | null {
  const dropped =
    /^drop\s+(table|function|view|trigger|type|schema|materialized\s+view)\s+(?:if\s+exists\s+)?([\w.]+)/i.exec(
      statement,
    )
  if (dropped !== null) return `drops the ${dropped[1].toLowerCase()} ${dropped[2]}`
  const replaced = /^create\s+or\s+replace\s+(function|view|trigger)\s+([\w.]+)/i.exec(statement)
  if (replaced !== null) return `replaces the ${replaced[1].toLowerCase()} ${replaced[2]}`
  if (/^do\b/i.test(statement)) return 'runs a program'
  if (table === undefined || made.has(table)) return null
  if (/^create\b/i.test(statement)) return `adds a trigger to ${table}`
  const change =
    /\bdrop\s+(?:column|constraint)\b|\brename\b|\btype\b|\bset\s+not\s+null\b|\badd\s+(?:constraint|check|primary|unique|foreign)\b/i.test(
      statement,
    ) ||
    // A new column that older servers must fill.
    /\badd\s+column\b(?:(?!\badd\s+column\b)[\s\S])*\bnot\s+null\b(?![\s\S]*\bdefault\b)/i.test(statement)
  return change ? `changes ${table}` : null
}
