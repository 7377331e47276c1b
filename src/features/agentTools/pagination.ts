import { ToolRefusal } from './api.ts'

const defaultCharacters = 8_000
/** Characters of the protocol's envelope around a response. */
const envelopeCharacters = 200

/** Where a response continues. */
export interface Position {
  /** The API's own cursor of the page; empty for the first page. */
  readonly page: string
  /** Rows of that page that earlier responses have shown. */
  readonly skip: number
  /** Data version of the first response; null if this is the first. */
  readonly dataVersion: number | null
  readonly asOf: string
}

interface ListArguments {
  readonly cursor?: string | undefined
  readonly max_characters?: number | undefined
}

/** Arguments that only turn the page, or that the cursor contains as well. */
const turning: ReadonlySet<string> = new Set(['cursor', 'max_characters', 'data_version', 'as_of'])

/** A digest of all other arguments: with different ones, a cursor would continue another list. */
function digestOf(args: ListArguments): string {
  const rest = Object.entries(args).filter(([name]) => !turning.has(name))
  const sorted = rest.sort(([a], [b]) => (a < b ? -1 : 1))
  return Bun.hash.xxHash64(JSON.stringify(sorted)).toString(36)
}

const noDay = '-'
const cursorShape =
  /^([0-9a-z]{1,13}) (\d{1,9}) (\d{1,15}) (\d{4}-\d\d-\d\d(?:T[\d:.]+[+-]\d\d:\d\d)?|-) ([\w-]{0,500})$/

export function readPosition(args: ListArguments): Position {
  if (args.cursor === undefined) return { page: '', skip: 0, dataVersion: null, asOf: noDay }
  const text = Buffer.from(args.cursor, 'base64url').toString('latin1')
  const [, digest, skip = '', version = '', asOf = '', page = ''] = cursorShape.exec(text) ?? []
  if (digest === undefined)
    throw new ToolRefusal(
      'parameter_invalid',
      'cursor is not valid. Send the `next` of the previous answer unchanged, or omit cursor for the first rows.',
    )
  if (digest !== digestOf(args))
    throw new ToolRefusal(
      'parameter_invalid',
      'cursor belongs to a call with other arguments. Repeat the arguments of the call that returned it, or omit cursor for the first rows.',
    )
  return { page, skip: Number(skip), dataVersion: Number(version), asOf }
}

interface Versioned {
  readonly data_version: number
  readonly as_of?: string
}

/** Fails if rows were counted in another list than this one; rows would be skipped or mix two days. */
export function requireSame(position: Position, { data_version, as_of }: Versioned): void {
  const { dataVersion, skip, asOf } = position
  if (dataVersion === null) return
  const isSame = dataVersion === data_version || skip === 0
  if (isSame && (asOf === noDay || asOf === as_of)) return
  throw new ToolRefusal(
    'parameter_invalid',
    `The data or the day has changed since the first call. Call again without cursor, or send cursor with data_version ${dataVersion} and, if the first answer has one, as_of ${asOf}.`,
  )
}

export interface ListParts<Head extends Versioned, Row> {
  readonly args: ListArguments
  readonly position: Position
  /** The response without its rows. */
  readonly head: Head
  /** The first line of the text. */
  readonly title: string
  /** All rows of the page at `position.page`, including those before `skip`. */
  readonly rows: readonly Row[]
  /** Formats a row as text. */
  readonly line: (row: Row) => string
  /** The API's cursor of the next page, or null on the last one. */
  readonly nextPage: string | null
  /** Advice on how to get fewer rows. */
  readonly narrow: string
  /** An additional note, if there is one. */
  readonly leftOut?: string | undefined
}

export interface ListAnswer<Head, Row> {
  readonly structured: Head & {
    count: number
    total?: number
    next: string | null
    left_out?: string
    data: Row[]
  }
  readonly text: string
}

/** The maximum length of a response in characters. */
export const sizeOf = (args: Pick<ListArguments, 'max_characters'>) =>
  args.max_characters ?? defaultCharacters

const jsonLength = (value: unknown) => JSON.stringify(value).length

/**
 * As many rows as fit the response, as data and as lines of text, with a cursor for the rest and a note that
 * there are more. Includes at least one row, so that a cursor always advances.
 */
export function fitRows<Head extends Versioned, Row>(parts: ListParts<Head, Row>): ListAnswer<Head, Row> {
  const { args, position, head, title, rows, line, nextPage, narrow, leftOut } = parts
  const { skip } = position
  const cursorOf = (page: string, at: number) => {
    const version = position.dataVersion ?? head.data_version
    const asOf = head.as_of ?? noDay
    return Buffer.from(`${digestOf(args)} ${at} ${version} ${asOf} ${page}`).toString('base64url')
  }
  const max = sizeOf(args)
  const cursorLength = cursorOf(nextPage ?? position.page, rows.length).length
  // The note appears both in the data and in the text.
  const noteLength = 2 * (160 + narrow.length + (leftOut?.length ?? 0))
  let room = max - envelopeCharacters - noteLength - cursorLength - jsonLength(head) - jsonLength(title)
  const data: Row[] = []
  const lines: string[] = []
  for (const row of rows.slice(skip)) {
    const text = line(row)
    room -= jsonLength(row) + jsonLength(text) + 1
    if (room < 0 && data.length > 0) break
    data.push(row)
    lines.push(text)
  }
  const shown = skip + data.length
  const isCut = shown < rows.length
  const next = isCut ? cursorOf(position.page, shown) : nextPage === null ? null : cursorOf(nextPage, 0)
  const isWhole = position.page === '' && nextPage === null
  const rest = isCut ? restNote(skip, data.length, isWhole ? rows.length : null, narrow) : ''
  const more = !isCut && nextPage !== null ? 'More rows follow: call again with cursor.' : ''
  const note = [leftOut ?? '', rest, more].filter(part => part !== '').join(' ')
  return {
    structured: {
      ...head,
      count: data.length,
      ...(isWhole ? { total: rows.length } : {}),
      next,
      ...(note === '' ? {} : { left_out: note }),
      data,
    },
    text: [title, ...lines, ...(note === '' ? [] : [note])].join('\n'),
  }
}

function restNote(skip: number, count: number, total: number | null, narrow: string): string {
  const rows = `Rows ${skip + 1} to ${skip + count}${total === null ? '' : ` of ${total}`} are shown`
  return `${rows}: call again with cursor for the next ones, or ${narrow}.`
}
