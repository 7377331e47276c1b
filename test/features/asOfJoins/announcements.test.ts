import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { buildEvents, companiesPerBlock, type EventBlock } from '../../../src/backtest/asOf/figureEvents.ts'
import { buildVintages } from '../../../src/backtest/audit/vintages.ts'
import { isoDate } from '../../../src/dates.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import type { BlockName } from '../../../src/features/asOfJoins/queries.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { insertEntity, markets } from '../companies/fixtures.ts'

setDefaultTimeout(120_000)

const folder = sharedPath('registers/us/submissions')

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close(), 60_000)

async function openBlock(firstEntity = 0): Promise<EventBlock> {
  const store = new EventStore(
    { events: async vintages => buildEvents(vintages), vintages: async filings => buildVintages(filings) },
    2 ** 26,
    markets,
  )
  const name: BlockName = { metric: '', fp: 'FY', firstEntity, kind: 'announcements' }
  const [block] = await store.lease().open(database.sql, 1, [name])
  return block
}

const decoder = new TextDecoder()

/** The events of a company: filing day, instant, the day of `ends` and accession. */
function eventsOf(block: EventBlock, entity: number) {
  const company = entity - block.firstEntity
  const events = []
  for (let event = block.starts[company]; event < block.starts[company + 1]; event++) {
    const at = block.values[event]
    events.push([
      isoDate(block.days[event]),
      Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 19),
      isoDate(block.ends[event]),
      decoder.decode(block.text.slice(block.textStarts[event], block.textStarts[event + 1])),
    ])
  }
  return events
}

const entityOf = async (issuerId: string) => {
  const [row] = await database.sql<{ id: number }[]>`
    select entity_id as id from entity where market = 'US' and issuer_id = ${issuerId}`
  return row.id
}

interface Stated {
  readonly issuerId: string
  readonly accession: string
  readonly filed: string
  readonly at?: string
  readonly market?: string
}

const store = ({ issuerId, accession, filed, at, market = 'US' }: Stated) => database.sql`
  insert into announcement (market, issuer_id, accession, form, filed, accepted_at, since_version)
  values (${market}, ${issuerId}, ${accession}, '8-K', ${filed}, ${at ?? null}, 0)`

test('announcements are in order of filing day; without a time they are known from the end of a day in their market', async () => {
  const first = { market: 'US', issuerId: '1', ticker: 'ONE', name: null }
  const second = { market: 'US', issuerId: '2', ticker: 'TWO', name: null }
  const japanese = { market: 'JP', issuerId: '1', ticker: 'ONE:JP', name: null }
  const [one, two, three] = [
    await insertEntity(database.sql, first),
    await insertEntity(database.sql, second),
    await insertEntity(database.sql, japanese),
  ]
  const ofOne = (accession: string, filed: string, at?: string) =>
    store({ issuerId: '1', accession, filed, ...(at === undefined ? {} : { at }) })
  await ofOne('c-untimed', '2021-02-01')
  await ofOne('b-timed', '2021-02-01', '2021-02-01T21:30:00Z')
  // Like 0001104659-21-032214, which carries 2021-03-04 and was accepted at 08:14 of the next day.
  await ofOne('late', '2021-03-04', '2021-03-05T13:14:00Z')
  // 21:30 in New York, and already the next day in UTC.
  await ofOne('evening', '2021-05-04', '2021-05-05T01:30:00Z')
  // Accepted after 17:30, so it carries the next business day.
  await ofOne('cut-off', '2021-01-04', '2020-12-31T23:10:00Z')
  // A time that lies long before the filing's own day contradicts it.
  await ofOne('contradiction', '2020-08-04', '2009-03-30T04:00:00Z')
  await store({ issuerId: '2', accession: 'two', filed: '2020-02-03' })
  await store({
    issuerId: '1',
    market: 'JP',
    accession: 'JP:1',
    filed: '2021-02-01',
    at: '2021-02-01T16:00:00Z',
  })
  await store({ issuerId: '9', accession: 'of no company', filed: '2020-02-03' })
  const block = await openBlock()
  expect(eventsOf(block, one)).toEqual([
    ['2020-08-04', null, '2020-08-04', 'contradiction'],
    ['2021-01-04', '2020-12-31T23:10:00', '2021-01-04', 'cut-off'],
    ['2021-02-01', '2021-02-01T21:30:00', '2021-02-01', 'b-timed'],
    ['2021-02-01', null, '2021-02-01', 'c-untimed'],
    ['2021-03-04', '2021-03-05T13:14:00', '2021-03-05', 'late'],
    ['2021-05-04', '2021-05-05T01:30:00', '2021-05-04', 'evening'],
  ])
  expect(eventsOf(block, two)).toEqual([['2020-02-03', null, '2020-02-03', 'two']])
  // It is 01:00 of the second in Tokyo.
  expect(eventsOf(block, three)).toEqual([['2021-02-01', '2021-02-01T16:00:00', '2021-02-02', 'JP:1']])
  expect(block.starts.at(-1)).toBe(8)
})

test('a block has its own companies only', async () => {
  const id = 3 * companiesPerBlock + 5
  await database.sql`
    insert into entity (entity_id, market, issuer_id, ticker, since_version) overriding system value
    values (${id}, 'US', '77', 'FAR', 0)`
  await store({ issuerId: '77', accession: 'far', filed: '2022-02-03' })
  expect((await openBlock()).starts.at(-1)).toBe(8)
  expect((await openBlock(2 * companiesPerBlock)).starts.at(-1)).toBe(0)
  expect(eventsOf(await openBlock(3 * companiesPerBlock), id)).toEqual([
    ['2022-02-03', null, '2022-02-03', 'far'],
  ])
})

/** The wall clock of New York, by Intl and not by the code under test. */
const newYork = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
})

test.skipIf(folder === null)("the events of Apple and Tesla are the rows of EDGAR's lists", async () => {
  const files = [
    { name: 'CIK0000320193.json', issuerId: '0000320193', showsUtc: false },
    { name: 'CIK0001318605.json', issuerId: '0001318605', showsUtc: true },
  ]
  const paths = files.map(({ name }) => join(folder ?? '', name))
  await importRegister(database.sql, usRegister, { paths, observedOn: '2026-11-20' }, () => {})
  const block = await openBlock()
  for (const { name, issuerId, showsUtc } of files) {
    const { recent } = (await Bun.file(join(folder ?? '', name)).json()).filings
    const stated: string[] = []
    for (let row = 0; row < recent.form.length; row++) {
      if (!recent.form[row].startsWith('8-K') || !recent.items[row].split(',').includes('2.02')) continue
      const shown = recent.acceptanceDateTime[row].slice(0, 19)
      stated.push(`${recent.filingDate[row]} ${shown} ${recent.accessionNumber[row]}`)
    }
    const read = eventsOf(block, await entityOf(issuerId)).map(([day, at, end, accession]) => {
      expect(end).toBe(day)
      const local = newYork.format(new Date(`${at}Z`)).replace(' ', 'T')
      return `${day} ${showsUtc ? at : local} ${accession}`
    })
    // None of these filings shares its day with another.
    expect(nonEmpty(read)).toEqual(stated.sort())
  }
})
