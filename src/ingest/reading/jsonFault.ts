export interface JsonPlace {
  readonly line: number
  readonly column: number
  readonly byte: number
}

interface JsonFault extends JsonPlace {
  /** What the parser expected there. */
  readonly message: string
}

const literals = ['true', 'false', 'null']
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Finds the place where a text stops being JSON, for the error message. null: the text is JSON. */
export function locateJsonFault(json: string): JsonFault | null {
  /** The closing bracket of each open object and list. */
  const open: ('}' | ']')[] = []
  let at = 0
  const skip = () => {
    while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at++
  }
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(json)) return false
    at = pattern.lastIndex
    return true
  }
  const takeString = (): boolean => {
    if (json[at] !== '"') return false
    for (at++; at < json.length; ) {
      const code = json.charCodeAt(at)
      if (code === 0x22) {
        at++
        return true
      }
      if (code < 0x20 || (code === 0x5c && !take(escapeSequence))) return false
      if (code !== 0x5c) at++
    }
    return false
  }
  const takeKey = (): string | null => {
    skip()
    if (!takeString()) return 'a property name in double quotes'
    skip()
    if (json[at] !== ':') return '`:`'
    at++
    return null
  }
  const fault = (expected: string): JsonFault => ({
    ...placeIn(json, at),
    message: `expected ${expected}${at >= json.length ? ', but the text ends' : ''}`,
  })
  for (;;) {
    skip()
    const opening = json[at]
    if (opening === '{' || opening === '[') {
      open.push(opening === '{' ? '}' : ']')
      at++
      skip()
      if (json[at] !== open[open.length - 1]) {
        const missing = opening === '{' ? takeKey() : null
        if (missing !== null) return fault(missing)
        continue
      }
    } else {
      const literal = literals.find(word => json.startsWith(word, at))
      if (literal !== undefined) at += literal.length
      else if (!takeString() && !take(number)) return fault('a value')
    }
    for (;;) {
      skip()
      const closing = open[open.length - 1]
      if (closing === undefined) return at === json.length ? null : fault('the end')
      if (json[at] === closing) {
        open.pop()
        at++
        continue
      }
      if (json[at] !== ',') return fault(`\`,\` or \`${closing}\``)
      at++
      const missing = closing === '}' ? takeKey() : null
      if (missing !== null) return fault(missing)
      break
    }
  }
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
