/**
 * What a PostgreSQL error says about a page or file that it could not read. Messages may be in any language,
 * so only paths, which are not translated, and numbers are parsed.
 */
export interface DamageError {
  /** The file's path below the database's folder; null if the error names none. */
  readonly path: string | null
  readonly fork: Fork
  /** True if the file belongs to a relation that all databases share. */
  readonly isShared: boolean
  readonly filenode: number | null
  /** The index that the error names in quotes or the TOAST table that it names; null if it names none. */
  readonly relationName: string | null
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  readonly message: string
}

export const forks = ['main', 'fsm', 'vm', 'init'] as const
export type Fork = (typeof forks)[number]

const relationFile = /\b(?:(global)|(?:base|pg_tblspc\/\d+\/\w+)\/\d+)\/(\d+)(?:_(fsm|vm|init))?(?:\.\d+)?/
const maxMessageLength = 300

export function readDamageError(error: Error): DamageError {
  const { message } = error
  const file = relationFile.exec(message)
  const numbers = /\b(\d+)(?:\.\.(\d+))?\b/.exec(blocksOf(message, file?.[0] ?? null))
  const [first, last] = [numbers?.[1], numbers?.[2]]
  const fork = forks.find(name => name === file?.[3]) ?? 'main'
  return {
    fork,
    path: file?.[0] ?? null,
    isShared: file?.[1] !== undefined,
    filenode: file === null ? null : Number(file[2]),
    relationName: file === null ? nameIn(message) : null,
    firstBlock: first === undefined ? null : Number(first),
    lastBlock: first === undefined ? null : Number(last ?? first),
    message: message.slice(0, maxMessageLength),
  }
}

const nameIn = (message: string): string | null =>
  /\bpg_toast_\d+\b/.exec(message)?.[0] ?? /["»„]([^"«“]{1,200})["«“]/.exec(message)?.[1] ?? null

/**
 * The part of a message in which the first number is a block: `5 invalid pages among blocks 7..14 of relation
 * "base/1/2"` counts pages first, so a range takes precedence.
 */
function blocksOf(message: string, path: string | null): string {
  const text = path === null ? message.replaceAll(/"[^"]*"/g, '') : message.replaceAll(path, '')
  return /\d+\.\.\d+/.exec(text)?.[0] ?? text
}
