import { expect, test } from 'bun:test'
import { canonicalMetrics } from '../../src/markets/metrics.ts'
import { companyKinds, standardStatements } from '../../src/standardLines/definition.ts'
import { registerLines } from '../../src/standardLines/registerLines.ts'
import { linesFor, standardLines } from '../../src/standardLines/standardLines.ts'
import { subjectNames } from '../../src/standardLines/subjects.ts'
import { taxonomies } from '../../src/standardLines/taxonomies/taxonomies.ts'
import { nonEmpty } from '../nonEmpty.ts'

test('a name is one line of its statement, and its parent is a line of the same statement', () => {
  const keys = nonEmpty(standardLines).map(({ statement, name }) => `${statement} ${name}`)
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  const orphans = standardLines.filter(
    ({ statement, parent }) => parent !== null && !keys.includes(`${statement} ${parent}`),
  )
  expect(orphans.map(({ name, parent }) => `${name} of ${parent}`)).toEqual([])
  expect(standardLines.filter(({ name, label }) => !/^[a-z][a-z0-9_]*$/.test(name) || label === '')).toEqual(
    [],
  )
})

test('every line can be found by a tag, a pattern of tags or words, or a schema, or is the balance of cash', () => {
  const placed = new Set(
    Object.values(taxonomies).flatMap(({ statements }) =>
      standardStatements.flatMap(statement =>
        [...statements[statement].meanings.values()].flatMap(meanings =>
          meanings.map(({ line }) => `${statement} ${line}`),
        ),
      ),
    ),
  )
  const ofRegisters = new Set(registerLines.map(([, line]) => line))
  const unplaced = nonEmpty([...ofRegisters]).filter(
    ({ statement, name }) => !placed.has(`${statement} ${name}`),
  )
  expect(unplaced.map(({ name }) => name)).toEqual([])
  const unreachable = nonEmpty(standardLines.filter(line => !ofRegisters.has(line))).filter(
    ({ tags, alike, words, sections }) =>
      sections.length === 0 || (tags.flat().length === 0 && alike === null && words === null),
  )
  expect(unreachable.map(({ name }) => name)).toEqual(['cash_at_beginning', 'cash_at_end'])
})

test('metrics of registers keep their names, and each kind of company has lines of every statement', () => {
  const names = new Set(standardLines.map(({ name }) => name))
  const own = ['shares_outstanding', 'free_cash_flow', 'ebitda', 'working_capital', 'total_debt', 'net_debt']
  const absent = canonicalMetrics.filter(
    ({ name, kind }) => kind !== 'ratio' && !names.has(name) && !own.includes(name),
  )
  expect(absent.map(({ name }) => name)).toEqual([])
  for (const kind of companyKinds)
    for (const statement of standardStatements) expect(linesFor(statement, kind).length).toBeGreaterThan(25)
})

test('no tag means two lines in one place, except the second choice of another line', () => {
  const seen = new Map<string, string>()
  const twice: string[] = []
  for (const { statement, name, sections, tags } of standardLines)
    for (const section of sections)
      for (const tag of tags[0] ?? []) {
        const key = `${statement} ${section} ${tag}`
        const other = seen.get(key)
        if (other !== undefined) twice.push(`${tag}: ${other} and ${name}`)
        seen.set(key, name)
      }
  expect([...new Set(twice)].filter(each => !/BasicAndDiluted/.test(each))).toEqual([])
})

test('subjects that a line may name besides its own are known', () => {
  const known = new Set(['anything', ...subjectNames])
  const named = nonEmpty(
    standardLines.flatMap(({ name, also }) => also?.split(' ').map(subject => ({ name, subject })) ?? []),
  )
  expect(named.filter(({ subject }) => !known.has(subject))).toEqual([])
})
