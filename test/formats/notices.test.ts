import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Notices, noticeHeaders, noticeLines } from '../../src/formats/notices.ts'
import { nonEmpty } from '../nonEmpty.ts'

/** A header has no spaces at its ends. */
const unpadded = (text: string) => text.replace(/^ +| +$/g, '')
const silent: Notices = { licence: null, registerTerms: [], attribution: [], note: null }

test('any text becomes a header that a client decodes, and lines that stay comments', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }), (note, text) => {
      const notices = {
        licence: { text: 'As "agreed" \\ written', address: '/terms' },
        registerTerms: ['https://register.example/a b>'],
        attribution: [text, note],
        note,
      }
      const sent = new Headers(noticeHeaders(notices))
      expect(decodeURIComponent(sent.get('x-note') ?? '')).toBe(unpadded(note.toWellFormed()))
      expect(decodeURIComponent(sent.get('x-attribution') ?? '')).toBe(
        unpadded(`${text} | ${note}`.toWellFormed()),
      )
      expect(sent.get('link')).toBe(
        '</terms>; rel="license"; title="As \\"agreed\\" \\\\ written", <https://register.example/a%20b%3E>; rel="license"',
      )
      const lines = noticeLines(notices).split('\r\n')
      expect(lines.length).toBe(6)
      for (const line of nonEmpty(lines.slice(0, -1)))
        expect(line).toMatch(/^# (licence|attribution|note): [^\r\n]*$/)
    }),
    { numRuns: 500 },
  )
})

test('a long note is cut between two characters and says so', () => {
  for (const unit of ['a', 'é', '漢', '😀', '100% ']) {
    for (let shift = 0; shift < 13; shift++) {
      const note = 'x'.repeat(shift) + unit.repeat(2_100)
      const header = noticeHeaders({ ...silent, note })['X-Note']
      expect(header.length).toBeLessThanOrEqual(2_003)
      expect(header).toEndWith('...')
      expect(note).toStartWith(decodeURIComponent(header.slice(0, -3)))
    }
  }
})

test('what has nothing to say has no header and no line', () => {
  expect(noticeHeaders(silent)).toEqual({})
  expect(noticeLines(silent)).toBe('')
})
