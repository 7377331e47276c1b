import { Failure } from '../../errors.ts'
import { parseJson } from '../reading/parseJson.ts'
import type { Verdict } from './source.ts'

export const good: Verdict = { kind: 'good' }

/** Judges JSON. What is no JSON is taken for half of it and asked for again; what is, and has another form than
 * `judgeForm` knows, is a change of the register's that somebody has to look at. */
export const judgeJson =
  (judgeForm: (document: unknown) => Verdict) =>
  (bytes: Uint8Array): Verdict => {
    let document: unknown
    try {
      document = parseJson(bytes)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { kind: 'again', reason: `The answer is no whole JSON: ${error.message}` }
    }
    return judgeForm(document)
  }

/** Throws what a changed form is told with. */
export function formChanged(expected: string): never {
  throw new Failure(
    'body_invalid',
    `The register has changed the form of its answer: ${expected} was expected.`,
  )
}

const zipEnd = Buffer.from('PK\x05\x06', 'latin1')

/** A zip ends with its directory; one that does not was cut. `judgeOther` looks at what begins otherwise. */
export const judgeZip =
  (judgeOther: (bytes: Uint8Array) => Verdict) =>
  (bytes: Uint8Array): Verdict => {
    if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return judgeOther(bytes)
    const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(zipEnd)
    return end < 0 ? { kind: 'again', reason: 'The zip is cut: it has no directory.' } : good
  }

/** XML whose root is closed. */
export function judgeXml(bytes: Uint8Array): Verdict {
  const ends = (from: number, to?: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1').trim()
  const head = ends(0, 200).replace(/^\u00ef\u00bb\u00bf/, '')
  if (!head.startsWith('<')) formChanged('XML')
  // A page for people under status 200 is an apology, and would stand in the document's place for good.
  if (/<!doctype html|<html/i.test(head))
    return { kind: 'again', reason: 'A page for people came instead of XML.' }
  return ends(-200).endsWith('>') ? good : { kind: 'again', reason: 'The XML is cut: its last tag is open.' }
}
