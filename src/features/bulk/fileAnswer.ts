import type { Answer } from '../../http/context.ts'
import { matchesTag } from '../../http/etag.ts'
import { answerHeaders } from '../../http/headers.ts'

interface StoredFile {
  readonly content: Blob
  readonly bytes: number
  readonly type: string
  /** Digest of the content, used as a strong ETag because the bytes never change. */
  readonly digest: string
  /** The file name that a browser saves it under. */
  readonly name: string
  /** False if it is always sent whole. */
  readonly hasParts: boolean
}

/**
 * A file that never changes, whole or one range of it (RFC 9110, section 14). A request for several ranges
 * gets the whole file, as the standard allows.
 */
export function fileAnswer(request: Request, file: StoredFile): Answer {
  const tag = `"${file.digest}"`
  const own = {
    ETag: tag,
    'Cache-Control': 'private, max-age=31536000, immutable',
    Vary: 'Authorization',
  }
  // Checked before the range: a client that has the file needs no part of it.
  const known = request.headers.get('if-none-match')
  if (known !== null && matchesTag(known, `W/${tag}`))
    return { status: 304, headers: answerHeaders(own), body: null }
  const headers = {
    ...own,
    'Accept-Ranges': file.hasParts ? 'bytes' : 'none',
    'Content-Type': file.type,
    'Content-Disposition': `attachment; filename="${file.name}"`,
  }
  const range = file.hasParts ? rangeOf(request, tag, file.bytes) : null
  const whole = file.content
  if (range === null) {
    const body = request.method === 'HEAD' ? null : whole
    return { status: 200, headers: answerHeaders({ ...headers, 'Content-Length': String(file.bytes) }), body }
  }
  if (range === 'outside') {
    const outside = { ...own, 'Accept-Ranges': 'bytes', 'Content-Range': `bytes */${file.bytes}` }
    return { status: 416, headers: answerHeaders(outside), body: null }
  }
  const { first, last } = range
  const partial = {
    ...headers,
    'Content-Range': `bytes ${first}-${last}/${file.bytes}`,
    'Content-Length': String(last - first + 1),
  }
  const body = request.method === 'HEAD' ? null : whole.slice(first, last + 1)
  return { status: 206, headers: answerHeaders(partial), body }
}

type Range = { readonly first: number; readonly last: number } | 'outside' | null

/**
 * The requested range, or null for the whole file. `If-Range` with another ETag or a date means the whole
 * file.
 */
function rangeOf({ headers, method }: Request, tag: string, bytes: number): Range {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range') ?? '') ?? []
  if ((from === '' && to === '') || (method !== 'GET' && method !== 'HEAD')) return null
  const same = headers.get('if-range')
  if (same !== null && same.trim() !== tag) return null
  if (from === '') {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? 'outside' : { first: bytes - length, last: bytes - 1 }
  }
  const first = Number(from)
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (to !== '' && Number(to) < first) return null
  return first >= bytes ? 'outside' : { first, last }
}
