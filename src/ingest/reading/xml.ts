import { SaxesParser, type SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'

/** Receives the parts of a document in order. A returned message ends the reading with an error at that place. */
interface XmlHandler {
  open(tag: SaxesTagNS): string | null
  close(name: string): string | null
  text(piece: string): void
}

/** Reads a document in one pass. Throws for a DOCTYPE: its entities could expand without limit or name local files.
 *
 * @param where prefix of error messages, to name one of several documents */
export function readXml(text: string, handler: XmlHandler, where = ''): void {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const check = (fault: string | null) => {
    if (fault === null) return
    throw new Failure('body_invalid', `${where}line ${parser.line}, column ${parser.column}: ${fault}.`)
  }
  parser.on('doctype', () => check('a DOCTYPE is not allowed'))
  parser.on('error', error => check(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')))
  parser.on('opentag', tag => check(handler.open(tag)))
  parser.on('closetag', ({ name }) => check(handler.close(name)))
  parser.on('text', piece => handler.text(piece))
  parser.on('cdata', piece => handler.text(piece))
  parser.write(text).close()
}
