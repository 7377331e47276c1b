import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { Failure } from '../../src/errors.ts'
import { CursorSigner, PositionCursors } from '../../src/http/cursor.ts'
import { nonEmpty } from '../nonEmpty.ts'

const signer = new CursorSigner(crypto.getRandomValues(new Uint8Array(32)))
const scope = { route: 'cross-section', rights: 'key 7', query: [['roe'], [], null] }

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure && error.code === 'parameter_invalid' && error.details.param === 'cursor')
      return error.message
    throw error
  }
  return 'accepted'
}

test('a cursor gives back its position, and the same position is the same text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), position => {
      const cursor = signer.write(scope, position)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(signer.read(scope, cursor)).toBe(position)
      expect(signer.write({ ...scope }, position)).toBe(cursor)
    }),
  )
})

test('a cursor with any bit changed, cut off or added to is refused', () => {
  const cursor = signer.write(scope, 'US 4 2010-02-01 1')
  const bytes = Buffer.from(cursor, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] ^= 1 << (bit & 7)
    expect(refusal(() => signer.read(scope, changed.toString('base64url')))).toContain('cursor is not valid')
  }
  for (let length = 0; length < cursor.length; length++)
    expect(refusal(() => signer.read(scope, cursor.slice(0, length)))).toContain('cursor is not valid')
  for (const more of ['A', '=', '.', ' ', '\0'])
    expect(refusal(() => signer.read(scope, cursor + more))).toContain('cursor is not valid')
})

test('a cursor of an earlier version, which did not sign, is refused with the way on', () => {
  const unsigned = Buffer.from('US 4 2010-02-01 1').toString('base64url')
  expect(refusal(() => signer.read(scope, unsigned))).toContain('omit cursor for the first page')
})

test('a position of several fields comes back, and one in the format of another version is refused', () => {
  const positions = new PositionCursors(Type.Tuple([Type.String(), Type.Integer()]))
  expect(positions.read(signer, scope, positions.write(signer, scope, ['ABB', 1]))).toEqual(['ABB', 1])
  for (const other of ['2017-08-31 ABB 1 US', '["ABB"]', '["ABB",1.5]', '{}', '['])
    expect(refusal(() => positions.read(signer, scope, signer.write(scope, other)))).toContain(
      'cursor is not valid',
    )
})

test('a cursor is refused by another database, route, query or caller', () => {
  const cursor = signer.write(scope, 'US 4 2010-02-01 1')
  const other = new CursorSigner(crypto.getRandomValues(new Uint8Array(32)))
  expect(refusal(() => other.read(scope, cursor))).toContain('cursor is not valid')
  const changed: [Partial<typeof scope>, string][] = [
    [{ rights: 'key 8' }, 'other rights'],
    [{ rights: 'full' }, 'other rights'],
    [{ route: 'restatements' }, 'other parameters'],
    [{ query: [['roe'], [], 'other'] as never }, 'other parameters'],
  ]
  for (const [change, message] of nonEmpty(changed))
    expect(refusal(() => signer.read({ ...scope, ...change }, cursor))).toContain(message)
})

test('a secret of another length is refused', () => {
  expect(() => new CursorSigner(new Uint8Array(16))).toThrow('16 bytes')
})
