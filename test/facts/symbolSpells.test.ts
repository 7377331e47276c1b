import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type SymbolSource, type SymbolStatement, spellOn, spellsOf } from '../../src/facts/symbolSpells.ts'

/* Made-up histories of one symbol: what sources state, and which company had it on which day. */

const known = '2026-01-01'
const state = (
  source: SymbolSource,
  company: string,
  from: string,
  to: string | null,
  isBeginning = source !== 'register',
): SymbolStatement => ({
  market: 'US',
  issuerId: company,
  holder: `CIK${company}`,
  from,
  to,
  isBeginning,
  source,
  known,
})

type Days = readonly (readonly [day: string, company: string | null, isAssumed?: boolean])[]
const histories: readonly (readonly [what: string, statements: readonly SymbolStatement[], days: Days])[] = [
  ['without any statement', [], [['2020-01-01', null]]],
  [
    // FB: another company until 2003, Facebook from 2012-05-18 to 2022-06-08.
    'used twice',
    [
      state('operator', 'old', '1997-11-06', '2003-03-28'),
      state('operator', 'fb', '2012-05-18', '2022-06-08'),
    ],
    [
      ['1997-11-05', null],
      ['1997-11-06', 'old'],
      ['2003-03-28', 'old'],
      ['2003-03-29', null],
      ['2012-05-17', null],
      ['2012-05-18', 'fb'],
      ['2022-06-08', 'fb'],
      ['2022-06-09', null],
    ],
  ],
  [
    // An old map file, whose last symbol nobody has any more, and a list that names the company by its number.
    'stated of the same days with the register’s number and without',
    [
      { ...state('operator', 'FB', '2012-05-18', null), issuerId: null, holder: 'FB' },
      state('operator', 'fb', '2012-05-18', '2022-06-08'),
    ],
    [
      ['2012-05-17', null],
      ['2012-05-18', 'fb'],
      ['2022-06-08', 'fb'],
      ['2022-06-09', null],
    ],
  ],
  [
    'used three times, and again today',
    [
      state('operator', 'a', '2000-01-03', '2004-12-31'),
      state('operator', 'b', '2005-01-03', '2010-06-30'),
      state('operator', 'a', '2011-01-03', '2015-01-02'),
      state('register', 'c', '2026-01-02', null),
    ],
    [
      ['2004-12-31', 'a'],
      ['2005-01-01', null],
      ['2005-01-03', 'b'],
      ['2011-01-03', 'a'],
      // The register was only seen to list it in 2026, so it may have done so since 2015.
      ['2015-01-03', 'c', true],
      ['2026-01-01', 'c', true],
      ['2026-01-02', 'c'],
      ['2026-11-20', 'c'],
    ],
  ],
  [
    'delisted, and listed again',
    [state('operator', 'a', '1999-01-04', '2008-09-15'), state('operator', 'a', '2012-02-01', null)],
    [
      ['2008-09-15', 'a'],
      ['2008-09-16', null],
      ['2012-01-31', null],
      ['2012-02-01', 'a'],
      ['2040-01-01', 'a'],
    ],
  ],
  [
    'that the register gives to another company from one reading to the next',
    [state('register', 'a', '2026-03-02', '2026-06-30'), state('register', 'b', '2026-07-01', null)],
    [
      ['2015-01-02', 'a', true],
      ['2026-03-02', 'a'],
      ['2026-06-30', 'a'],
      ['2026-07-01', 'b'],
    ],
  ],
  [
    'that the register gives to a company in place of its former one',
    [state('register', 'a', '2022-06-09', null, true)],
    [
      ['2022-06-08', null],
      ['2022-06-09', 'a'],
    ],
  ],
  [
    'about which a list and the register differ: the register wins on the days on which it was seen',
    [state('operator', 'a', '1999-01-04', null), state('register', 'b', '2026-03-02', null)],
    [
      ['2026-03-01', 'a'],
      ['2026-03-02', 'b'],
    ],
  ],
  [
    'about which a cover page and a list differ: the cover page wins',
    [
      state('filing', 'a', '2021-02-01', '2021-04-30'),
      state('filing', 'a', '2021-05-01', null),
      state('operator', 'b', '2021-03-01', '2021-12-31'),
    ],
    [
      ['2021-01-31', null],
      ['2021-02-01', 'a'],
      ['2021-05-01', 'a'],
      // The last cover page covers its own day.
      ['2021-05-02', 'b'],
      ['2021-12-31', 'b'],
      ['2022-01-01', null],
    ],
  ],
  [
    'that the last cover page of a company states',
    [state('filing', 'a', '2021-02-01', null), state('operator', 'b', '2023-01-03', null)],
    [
      ['2021-02-01', 'a'],
      ['2021-02-02', 'a', true],
      ['2023-01-02', 'a', true],
      ['2023-01-03', 'b'],
    ],
  ],
  [
    'about which two lists differ: the spell that began later wins',
    [state('operator', 'a', '1999-01-04', null), state('operator', 'b', '2012-05-18', null)],
    [
      ['2012-05-17', 'a'],
      ['2012-05-18', 'b'],
    ],
  ],
]

describe('a symbol', () => {
  for (const [what, statements, days] of histories) {
    test(what, () => {
      for (const order of [statements, statements.toReversed()]) {
        const spells = spellsOf(order)
        for (const [day, company, isAssumed = false] of days) {
          const spell = spellOn(spells, day)
          expect([day, spell?.issuerId ?? null, spell?.isAssumed ?? false]).toEqual([day, company, isAssumed])
        }
      }
    })
  }
})

test("two companies that swap symbols have each other's symbol from that day on", () => {
  const statements = {
    ONE: [state('operator', 'a', '2001-01-02', '2015-06-30'), state('operator', 'b', '2015-07-01', null)],
    TWO: [state('operator', 'b', '2001-01-02', '2015-06-30'), state('operator', 'a', '2015-07-01', null)],
  }
  const on = (symbol: keyof typeof statements, day: string) =>
    spellOn(spellsOf(statements[symbol]), day)?.issuerId
  expect([on('ONE', '2015-06-30'), on('TWO', '2015-06-30')]).toEqual(['a', 'b'])
  expect([on('ONE', '2015-07-01'), on('TWO', '2015-07-01')]).toEqual(['b', 'a'])
})

test('spells do not depend on the order of statements, and each day has the holder that a scan of all statements finds', () => {
  const day = fc
    .integer({ min: 0, max: 60 })
    .map(days => new Date(Date.UTC(2020, 0, 1 + days)).toISOString().slice(0, 10))
  const statement = fc
    .record({
      source: fc.constantFrom<SymbolSource>('filing', 'register', 'operator'),
      company: fc.constantFrom('a', 'b', 'c'),
      from: day,
      to: fc.option(day),
      isBeginning: fc.boolean(),
    })
    .map(({ source, company, from, to, isBeginning }) =>
      state(source, company, from, to !== null && to < from ? null : to, isBeginning),
    )
  const rank = ['filing', 'register', 'operator']
  /** The statement with precedence among those that cover the day on their own, found by a scan. */
  const holderOn = (all: readonly SymbolStatement[], on: string) => {
    const covering = all.filter(({ from, to, source }) => {
      const end = to ?? (source === 'filing' ? from : '9999-12-31')
      return from <= on && on <= end
    })
    const best = Math.min(...covering.map(({ source }) => rank.indexOf(source)))
    const ofBest = covering.filter(({ source }) => rank.indexOf(source) === best)
    const latest = ofBest
      .map(({ from }) => from)
      .sort()
      .at(-1)
    return new Set(ofBest.filter(({ from }) => from === latest).map(({ issuerId }) => issuerId))
  }
  fc.assert(
    fc.property(
      fc.array(statement, { maxLength: 8 }),
      fc.array(day, { minLength: 1, maxLength: 20 }),
      (all, days) => {
        const spells = spellsOf(all)
        expect(spellsOf(all.toReversed())).toEqual(spells)
        for (const on of days) {
          const stated = holderOn(all, on)
          const spell = spellOn(spells, on)
          if (stated.size === 0) expect(spell === null || spell.isAssumed).toBe(true)
          else {
            expect(spell?.isAssumed).toBe(false)
            expect(stated.has(spell?.issuerId ?? null)).toBe(true)
          }
        }
        for (const [index, { from, to }] of spells.entries()) {
          if (index > 0) expect(from !== null && from > (spells[index - 1]?.to ?? '9999-12-31')).toBe(true)
          if (index < spells.length - 1) expect(to).not.toBeNull()
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
