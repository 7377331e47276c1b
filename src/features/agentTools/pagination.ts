import { ToolRefusal } from './api.ts'

const defaultCharacters = 8_000
/** The envelope of the protocol around an answer. */
const envelopeCharacters = 200

/** Where an answer continues. */
export interface Place {
  /** The API's own cursor of the page; empty: the first page. */
  readonly page: string
  /** Rows of that page that earlier answers have shown. */
  readonly skip: number
  /** Of the first answer; null: this is the first. */
  readonly dataVersion: number | null
  readonly asOf: string
}

interface ListArguments {
  readonly cursor?: string | undefined
  readonly max_characters?: number | undefined
}

/** Arguments that only turn the page, or name the data and the day that the cursor names, too. */
const turning: ReadonlySet<string> = new Set(['cursor', 'max_characters', 'data_version', 'as_of'])

/** Of all other arguments: a cursor that came with others would continue another list. */
function digestOf(args: ListArguments): string {
  const rest = Object.entries(args).filter(([name]) => !turning.has(name))
  const sorted = rest.sort(([a], [b]) => (a < b ? -1 : 1))
  return Bun.hash.xxHash64(JSON.stringify(sorted)).toString(36)
}

const noDay = '-'
const cursorShape = /^([0-9a-z]{1,13}) (\d{1,9}) (\d{1,15}) (\d{4}-\d\d-\d\d|-) ([\w-]{0,500})$/

export function readPlace(args: ListArguments): Place {
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
      'cursor belongs to a call with other arguments. Repeat those of the answer that it came with, or omit cursor for the first rows.',
    )
  return { page, skip: Number(skip), dataVersion: Number(version), asOf }
}

interface Versioned {
  readonly data_version: number
  readonly as_of?: string
}

/** Fails where rows were counted in another list than this one: some would be skipped, or would be of two days. */
export function requireSame(place: Place, { data_version, as_of }: Versioned): void {
  const { dataVersion, skip, asOf } = place
  if (dataVersion === null) return
  const isSame = dataVersion === data_version || skip === 0
  if (isSame && (asOf === noDay || asOf === as_of)) return
  throw new ToolRefusal(
    'parameter_invalid',
    `The data or the day has changed since the first rows. Call again without cursor, or go on with data_version ${dataVersion} and, if the first rows have one, as_of ${asOf}.`,
  )
}

export interface ListParts<Head extends Versioned, Row> {
  readonly args: ListArguments
  readonly place: Place
  /** The answer without its rows. */
  readonly head: Head
  /** The first line of the text. */
  readonly title: string
  /** All rows of the page at `place.page`, those before `skip` included. */
  readonly rows: readonly Row[]
  /** A row in the text. */
  readonly line: (row: Row) => string
  /** The API's cursor of the page after this one; null: it is the last. */
  readonly nextPage: string | null
  /** What to send in order to get fewer rows. */
  readonly narrow: string
  /** Said besides, if anything is. */
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

/** Characters that an answer may have. */
export const sizeOf = (args: Pick<ListArguments, 'max_characters'>) =>
  args.max_characters ?? defaultCharacters

const jsonLength = (value: unknown) => JSON.stringify(value).length

/** As many of the rows as the answer has room for, as data and as lines of text; a cursor for the others, and a note that they exist.
 * At least one row, so that a cursor always gets on. */
export function fitRows<Head extends Versioned, Row>(parts: ListParts<Head, Row>): ListAnswer<Head, Row> {
  const { args, place, head, title, rows, line, nextPage, narrow, leftOut } = parts
  const { skip } = place
  const cursorOf = (page: string, at: number) => {
    const version = place.dataVersion ?? head.data_version
    const asOf = head.as_of ?? noDay
    return Buffer.from(`${digestOf(args)} ${at} ${version} ${asOf} ${page}`).toString('base64url')
  }
  const max = sizeOf(args)
  const cursorLength = cursorOf(nextPage ?? place.page, rows.length).length
  // The note stands in both parts.
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
  const next = isCut ? cursorOf(place.page, shown) : nextPage === null ? null : cursorOf(nextPage, 0)
  const isWhole = place.page === '' && nextPage === null
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
