import { Failure } from '../errors.ts'
import { type BodyFormat, bodyFormats, mediaTypes } from '../model/bodyFormat.ts'

/** The form of a body by its headers. What cannot be read as it was sent is refused before a byte of it is. */
export function bodyFormat(headers: Headers): BodyFormat {
  const type = headers.get('content-type')
  const essence = type?.split(';')[0].trim().toLowerCase() ?? ''
  const format = bodyFormats.find(known => mediaTypes[known].includes(essence))
  if (format === undefined) {
    const named = bodyFormats.map(known => mediaTypes[known][0])
    throw unsupported(
      `The body has to be sent as Content-Type: ${named.slice(0, -1).join(', ')} or ${named.at(-1)}${type === null ? '; none was sent' : ''}.`,
    )
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported('Bodies are read as UTF-8: send the body in it, or leave charset out.')
  }
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('Compressed bodies are not read. Leave Content-Encoding out.', 'Content-Encoding')
  }
  return format
}

function unsupported(message: string, param = 'Content-Type'): Failure {
  return new Failure('media_type_unsupported', message, { param })
}
