import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readFilingPackage } from '../../src/ingest/registers/us/filingPackage.ts'
import {
  decodeFigures,
  decodeFiguresOf,
  encodeFigures,
  SoughtConcept,
} from '../../src/wholeFilings/figureBlock.ts'
import { decodePresentation, encodePresentation } from '../../src/wholeFilings/presentationBlock.ts'
import { Terms } from '../../src/wholeFilings/terms.ts'
import {
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  statementKinds,
  type WholeFiling,
} from '../../src/wholeFilings/wholeFiling.ts'
import { areMissing, filingsOf, packageNames, readZipFiles } from '../ingest/registers/us/packages.ts'
import { nonEmpty } from '../nonEmpty.ts'

/** Adds the terms of filings, each of another company. */
function learn(terms: Terms, filings: readonly WholeFiling[]): readonly string[] {
  const added = terms.propose(filings.map(filing => [filing]))
  terms.append(added)
  return added
}

const timeoutMs = 120_000

/** Concepts that are sought in each block. Those of a random filing are fewer. */
const maxSought = 60

/** Two figures with the same concept and context keep their order, others are sorted. */
const keyOf = ({ concept, context, unit, decimals, value }: ReportedFigure) =>
  JSON.stringify([
    concept,
    context.end,
    context.start,
    context.quarters,
    context.dimensions,
    unit,
    `${decimals}`,
    value,
  ])
const sorted = (figures: readonly ReportedFigure[]) => figures.map(keyOf).sort()

function roundTrip(filing: WholeFiling, terms: Terms): { figureBytes: number; presentationBytes: number } {
  const block = encodeFigures(filing, terms)
  const presentation = encodePresentation(filing, terms, block.ownTexts)
  const { figures, taxonomies, defaultMembers, ownTexts } = decodeFigures(block.bytes, terms)
  expect(sorted(figures)).toEqual(sorted(filing.figures))
  expect([taxonomies, defaultMembers]).toEqual([filing.taxonomies, filing.defaultMembers])
  for (const concept of [...new Set(['no:Such', ...figures.map(figure => figure.concept)])].slice(
    0,
    maxSought,
  )) {
    const whole = figures.filter(
      figure => figure.concept === concept && figure.context.dimensions.length === 0,
    )
    expect(decodeFiguresOf(block.bytes, new SoughtConcept(concept, terms), terms)).toEqual(whole)
  }
  const { statements, sums } = filing
  expect(decodePresentation(presentation, terms, ownTexts)).toEqual({ statements, sums })
  return { figureBytes: block.bytes.length, presentationBytes: presentation.length }
}

describe('real filings', () => {
  /** The header of a tuple with its item, the accession and its index entry, as PostgreSQL stores them. */
  const rowBytes = 28 + 25 + 4 + 16 + 8 + 25
  const sets = [
    ['fsds/2009q3.zip', 8, 12],
    ['fsds/2010q1.zip', 8, null],
  ] as const
  test.skipIf(areMissing(...sets.map(([path]) => path))).each(sets)(
    '%s: come back exactly, in at most %d bytes a figure and %p a line',
    async (path, figureBar, lineBar) => {
      const files = await readZipFiles(path)
      if (files === null) return
      const filings = nonEmpty(filingsOf(files))
      const terms = new Terms()
      const learnt = Bun.zstdCompressSync(learn(terms, filings).join('\n')).length
      let [figures, lines, figureBytes, presentationBytes] = [0, 0, 0, 0]
      for (const filing of filings) {
        const bytes = roundTrip(filing, terms)
        figures += filing.figures.length
        lines += filing.statements.reduce((sum, statement) => sum + statement.lines.length, 0)
        figureBytes += bytes.figureBytes + rowBytes
        presentationBytes += bytes.presentationBytes
      }
      expect(figureBytes / figures).toBeLessThanOrEqual(figureBar)
      if (lineBar !== null) expect((presentationBytes + learnt) / lines).toBeLessThanOrEqual(lineBar)
    },
    timeoutMs,
  )

  const wanted = ['fsds/2009q3.zip', 'fsds/20250701.zip', ...packageNames.map(name => `filings/${name}`)]
  test.skipIf(areMissing(...wanted))(
    'packages and a day of the data sets come back exactly, with the terms of others and with none',
    async () => {
      const others = await readZipFiles('fsds/2009q3.zip')
      const day = await readZipFiles('fsds/20250701.zip')
      const packages = await Promise.all(packageNames.map(name => readZipFiles(`filings/${name}`)))
      if (others === null || day === null || packages.some(files => files === null)) return
      const filings = [
        ...filingsOf(day),
        ...packages.map(files => readFilingPackage('1', nonEmpty(files)).filing),
      ]
      const learnt = new Terms()
      learn(learnt, filingsOf(others))
      for (const filing of nonEmpty(filings)) {
        roundTrip(filing, learnt)
        roundTrip(filing, new Terms())
      }
    },
    timeoutMs,
  )
})

const word = fc.string({ unit: 'grapheme', maxLength: 12 })
const day = fc.integer({ min: -40_000, max: 80_000 })
const context: fc.Arbitrary<FigureContext> = fc
  .record({
    end: day,
    length: fc.oneof(
      fc.constant({ kind: 'instant' }),
      fc.record({ kind: fc.constant('days'), count: fc.nat(4_000) }),
      fc.record({ kind: fc.constant('quarters'), count: fc.nat(1_000) }),
    ),
    dimensions: fc.array(fc.record({ axis: word, member: word }), { maxLength: 3 }),
  })
  .map(({ end, length, dimensions }) => {
    const count = 'count' in length ? length.count : 0
    const start = length.kind === 'days' ? end - count : null
    return { start, end, quarters: length.kind === 'quarters' ? count : null, dimensions }
  })
const value = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc
    .tuple(fc.integer(), fc.integer({ min: -20, max: 20 }))
    .map(([digits, exponent]) => plainDecimal(`${digits}e${exponent}`) ?? '0'),
)
const decimals = fc.oneof(
  fc.constant(null),
  fc.constant(Number.POSITIVE_INFINITY),
  fc.integer({ min: -99, max: 99 }),
)
const filing: fc.Arbitrary<WholeFiling> = fc.array(context, { minLength: 1, maxLength: 5 }).chain(contexts =>
  fc.record({
    accession: fc.constant('1'),
    taxonomies: fc.array(fc.tuple(word, word)).map(pairs => new Map(pairs)),
    defaultMembers: fc.array(fc.tuple(word, word)).map(pairs => new Map(pairs)),
    figures: fc.array(
      fc.record({ concept: word, context: fc.constantFrom(...contexts), unit: word, decimals, value }),
      { maxLength: 60 },
    ),
    statements: fc.array(
      fc.record(
        {
          role: word,
          title: fc.option(word),
          kind: fc.option(fc.constantFrom(...statementKinds)),
          parenthetical: fc.boolean(),
          dimensions: fc.array(fc.record({ axis: word, member: word }), { minLength: 1, maxLength: 3 }),
          lines: fc.array(
            fc.record({
              order: fc.nat(100_000),
              concept: word,
              depth: fc.option(fc.nat(99)),
              label: fc.option(word),
              labelRole: fc.option(word),
              negated: fc.boolean(),
            }),
          ),
        },
        { requiredKeys: ['role', 'title', 'kind', 'parenthetical', 'lines'] },
      ),
      { maxLength: 4 },
    ),
    sums: fc.array(
      fc.record({
        role: word,
        total: word,
        items: fc.array(fc.record({ concept: word, weight: fc.constantFrom(1, -1, 0.5, -2, 1e-7) })),
      }),
      { maxLength: 3 },
    ),
  }),
)

test(
  'any filing comes back exactly, whatever terms are known',
  () => {
    fc.assert(
      fc.property(filing, filing, (one, other) => {
        const terms = new Terms()
        learn(terms, [other, other, other, one, one, one].slice(0, one.figures.length % 7))
        roundTrip(one, terms)
      }),
      { numRuns: 300 },
    )
  },
  timeoutMs,
)

test('a term keeps its number, and a text becomes one when three filings use it', () => {
  const using = (...concepts: string[]): WholeFiling => ({
    accession: '1',
    taxonomies: new Map(),
    defaultMembers: new Map(),
    statements: [],
    sums: [],
    figures: concepts.map(concept => ({
      concept,
      context: { start: null, end: 0, quarters: null, dimensions: [] },
      unit: 'USD',
      decimals: null,
      value: '1',
    })),
  })
  const terms = new Terms(['us-gaap:Assets'])
  const batch = [
    using('us-gaap:Assets', 'us-gaap:Cash', 'us-gaap:Cash'),
    using('us-gaap:Cash', 'own:A'),
    using('own:A'),
  ]
  expect(learn(terms, batch)).toEqual(['USD'])
  expect(learn(terms, [...batch, using('us-gaap:Cash')])).toEqual(['us-gaap:Cash'])
  expect(['us-gaap:Assets', 'USD', 'us-gaap:Cash', 'own:A'].map(text => terms.numberOf(text))).toEqual([
    0,
    1,
    2,
    undefined,
  ])
  // A block that was written before a term was added reads as before.
  const before = new Terms()
  const { bytes } = encodeFigures(batch[0], before)
  learn(before, batch)
  expect(sorted(decodeFigures(bytes, before).figures)).toEqual(sorted(batch[0].figures))
})

test('damaged blocks and unknown terms are refused', () => {
  const [sample] = fc.sample(
    filing.filter(({ figures }) => figures.length > 5),
    { numRuns: 1, seed: 7 },
  )
  const terms = new Terms()
  const block = encodeFigures(sample, terms)
  const presentation = encodePresentation(sample, terms, block.ownTexts)
  for (let cut = 0; cut < block.bytes.length; cut++)
    expect(() => decodeFigures(block.bytes.subarray(0, cut), terms)).toThrow()
  for (let cut = 0; cut < presentation.length; cut++)
    expect(() => decodePresentation(presentation.subarray(0, cut), terms, block.ownTexts)).toThrow()
  const known = new Terms(sample.figures.map(({ concept }) => concept))
  expect(() => decodeFigures(encodeFigures(sample, known).bytes, new Terms())).toThrow(/unknown term/)
})

/* The reference computes with whole numbers. */
test('plain decimals have the value of their text', () => {
  const scaled = (text: string) => {
    const [, sign, whole, fraction = '', exponent = '0'] =
      /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/.exec(text) ?? []
    const power = 60 + Number(exponent) - fraction.length
    return BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction || ''}`) * 10n ** BigInt(power)
  }
  const digits = fc.stringMatching(/^\d{1,20}$/)
  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits,
      fc.option(digits),
      fc.option(fc.integer({ min: -20, max: 20 })),
    )
    .map(([sign, whole, fraction, exponent]) => {
      const point = fraction === null ? '' : `.${fraction}`
      return `${sign}${whole}${point}${exponent === null ? '' : `e${exponent}`}`
    })
  fc.assert(
    fc.property(text, stated => {
      const plain = plainDecimal(stated) ?? ''
      expect(plain).toMatch(/^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/)
      expect(scaled(plain)).toBe(scaled(stated))
    }),
  )
  expect(['', '.', '-', '1,000', '1e', 'NaN', '0x1', ' 1', '1'.repeat(201)].map(plainDecimal)).toEqual(
    Array.from({ length: 9 }, () => null),
  )
  expect(['.5', '5.', '-0.00', '500000.0000'].map(plainDecimal)).toEqual(['0.5', '5', '0', '500000'])
})
