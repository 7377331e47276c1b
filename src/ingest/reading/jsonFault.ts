import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'

export interface JsonPlace {
  readonly line: number
  readonly column: number
  readonly byte: number
}

interface JsonFault extends JsonPlace {
  /** What is wrong there, or what is expected instead. */
  readonly message: string
}

/**
 * Faults within a string or a number, which are located at its beginning. All others are misplaced tokens.
 */
const tokenFaults: Readonly<Record<string, string>> = {
  UnexpectedEndOfString: 'the string has no closing quotation mark on its line',
  InvalidCharacter: 'the string has a control character without an escape',
  InvalidEscapeCharacter: 'the string has an escape that is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u',
  InvalidUnicode: 'the string has a \\u escape without four hexadecimal digits',
  UnexpectedEndOfNumber: 'the number lacks a digit',
}

/**
 * Finds where a text stops being JSON, for the error message. Null if the text is JSON, or so deeply nested
 * that the search overflows the stack.
 */
export function locateJsonFault(json: string): JsonFault | null {
  const found: JsonFault[] = []
  const open: ('}' | ']')[] = []
  let expected = 'a value'
  /**
   * What the object or list that was closed last still expected: the parser closes it before it reports the
   * missing bracket.
   */
  let expectedInside = expected
  const expectAfterValue = () => {
    expected = open.length === 0 ? 'the end' : `\`,\` or \`${open[open.length - 1]}\``
  }
  const onEnd = () => {
    expectedInside = expected
    open.pop()
    expectAfterValue()
  }
  const name = 'a property name in double quotes'
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      open.push('}')
      expected = name
    },
    onArrayBegin: () => {
      open.push(']')
      expected = 'a value'
    },
    onObjectProperty: () => {
      expected = '`:`'
    },
    onSeparator: separator => {
      expected = separator === ',' && open[open.length - 1] === '}' ? name : 'a value'
    },
    onLiteralValue: expectAfterValue,
    onObjectEnd: onEnd,
    onArrayEnd: onEnd,
    onError: (error, at) => {
      if (found.length > 0) return
      const code = printParseErrorCode(error)
      const missing = code.startsWith('Close') ? expectedInside : expected
      const message = `expected ${missing}${at >= json.length ? ', but the text ends' : ''}`
      found.push({ ...placeIn(json, at), message: tokenFaults[code] ?? message })
    },
  }
  try {
    visit(json, visitor, { disallowComments: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return found[0] ?? null
}

/** Line and column of a character, counted from 1, and its byte, counted from 0. */
export function placeIn(json: string, at: number): JsonPlace {
  const before = json.slice(0, at)
  return {
    line: before.split('\n').length,
    column: at - before.lastIndexOf('\n'),
    byte: Buffer.byteLength(before),
  }
}
