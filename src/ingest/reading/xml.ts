import { SaxesParser, type SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'

/** What is done with the parts of a document as they come. A fault that is returned ends the reading, named with its place. */
export interface XmlHandler {
  open(tag: SaxesTagNS): string | null
  close(name: string): string | null
  text(piece: string): void
}

/** Reads a document in one pass. A DOCTYPE is refused: entities could be bombs or name files.
 *
 * @param where what stands before line and column in a message, where there are several documents */
export function readXml(text: string, handler: XmlHandler, where = ''): void {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const check = (fault: string | null) => {
    if (fault === null) return
    throw new Failure('body_invalid', `${where}line ${parser.line}, column ${parser.column}: ${fault}.`)
  }
  parser.on('doctype', () => check('a DOCTYPE is not read'))
  parser.on('error', error => check(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')))
  parser.on('opentag', tag => check(handler.open(tag)))
  parser.on('closetag', ({ name }) => check(handler.close(name)))
  parser.on('text', piece => handler.text(piece))
  parser.on('cdata', piece => handler.text(piece))
  parser.write(text).close()
}
