import { SaxesParser, type SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'

/**
 * Receives the parts of a document in order. Returning a message ends the reading with an error at that
 * location.
 */
interface XmlHandler {
  /** @param line the 1-based line on which the tag ends */
  open(tag: SaxesTagNS, line: number): string | null
  close(name: string): string | null
  text(piece: string): void
}

/**
 * Far above any document of a register. The parser creates an object for each open element and for each
 * attribute of a tag.
 */
const maxDepth = 512
const maxAttributes = 65_536

/**
 * Reads a document in one pass. Throws for a DOCTYPE: its entities could expand without limit or name local
 * files.
 *
 * @param where prefix of error messages, to name one of several documents
 */
export function readXml(text: string, handler: XmlHandler, where = ''): void {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const check = (fault: string | null) => {
    if (fault === null) return
    throw new Failure('body_invalid', `${where}line ${parser.line}, column ${parser.column}: ${fault}.`)
  }
  parser.on('doctype', () => check('a DOCTYPE is not allowed'))
  parser.on('error', error => check(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')))
  let depth = 0
  let attributes = 0
  parser.on('attribute', () => {
    if (++attributes > maxAttributes) check(`an element has more than ${maxAttributes} attributes`)
  })
  parser.on('opentag', tag => {
    attributes = 0
    if (++depth > maxDepth) check(`elements are nested deeper than ${maxDepth} levels`)
    check(handler.open(tag, parser.line))
  })
  parser.on('closetag', ({ name }) => {
    depth--
    check(handler.close(name))
  })
  parser.on('text', piece => handler.text(piece))
  parser.on('cdata', piece => handler.text(piece))
  parser.write(text).close()
}
