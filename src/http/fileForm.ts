import { Failure } from '../errors.ts'
import type { BodyReader, Sender } from './body.ts'
import type { RequestContext } from './context.ts'

/** A form with a file, as submitted. */
export interface SubmittedFile<Name extends string> {
  /** The fields as typed, without those that are empty. */
  readonly typed: Readonly<Partial<Record<Name, string>>>
  readonly file: File | null
  /** The files of the fields that `textFiles` names, as text. */
  readonly texts: ReadonlyMap<string, string>
}

export interface FileFields<Name extends string> {
  readonly names: readonly Name[]
  /** In characters, of each field. */
  readonly maxLength: number
  /** Fields besides `file` that have a file of text, and the most characters of each. */
  readonly textFiles?: { readonly names: readonly string[]; readonly maxLength: number }
}

const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']

/** Passes a submitted form, which may have a field `file`, to `act`. Its bytes count towards the memory of all bodies until
 * `act` ends.
 *
 * @param sender to whom the bytes are charged, if not to the visitor */
export function useFileForm<T, Name extends string>(
  context: RequestContext,
  bodies: BodyReader,
  fields: FileFields<Name>,
  act: (form: SubmittedFile<Name>) => Promise<T>,
  sender?: Sender,
): Promise<T> {
  const type = context.request.headers.get('content-type') ?? ''
  if (!formTypes.includes(type.split(';')[0]?.trim().toLowerCase() ?? ''))
    throw new Failure('media_type_unsupported', 'Send the form as its page does.', { param: 'Content-Type' })
  return bodies.use(context, async bytes => act(await parseForm(bytes, type, fields)), { sender })
}

async function parseForm<Name extends string>(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  { names, maxLength, textFiles }: FileFields<Name>,
): Promise<SubmittedFile<Name>> {
  const fields = await new Response(bytes, { headers: { 'Content-Type': type } }).formData().catch(cause => {
    throw new Failure('body_invalid', 'The form arrived damaged. Send it again.', { param: 'body', cause })
  })
  const typed: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value !== 'string' || value.trim() === '') continue
    if (value.length > maxLength || unprintable.test(value) || !value.isWellFormed())
      throw new Failure(
        'parameter_invalid',
        `The field ${name} is too long or has characters that are not allowed.`,
        { param: name },
      )
    typed[name] = value.trim()
  }
  const file = fields.get('file')
  const texts = new Map<string, string>()
  for (const name of textFiles?.names ?? []) {
    const sent = fields.get(name)
    if (!(sent instanceof File) || sent.size === 0) continue
    if (sent.size > (textFiles?.maxLength ?? 0))
      throw new Failure('parameter_invalid', `The file of ${name} is too large.`, { param: name })
    texts.set(name, new TextDecoder().decode(await sent.arrayBuffer()))
  }
  return { typed, file: file instanceof File && file.size > 0 ? file : null, texts }
}
