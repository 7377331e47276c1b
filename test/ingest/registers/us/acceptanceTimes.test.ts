import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { mergeFilings } from '../../../../src/facts/filings.ts'
import type { Filing } from '../../../../src/facts/reportedFact.ts'
import { openZip, readEntry } from '../../../../src/ingest/reading/archives.ts'
import { isPlaceholder, settleEdgarTimes } from '../../../../src/ingest/registers/us/edgarClock.ts'
import { parseSubmissions } from '../../../../src/ingest/registers/us/submissions.ts'
import { sharedPath } from '../../../shared.ts'

/* The times of every periodic report in the real files: lists of submissions of 26 filers, with and without
 * structured accounts, and `sub.txt` of the data sets. New York's local time comes from Intl here, not from the code
 * under test. */

const lists = sharedPath('registers/us/submissions')
const sets = sharedPath('registers/us/fsds')
const isPeriodic = (form: string) => /^(10-K|10-Q|10-KT|10-QT|20-F|40-F)(\/A)?$/.test(form)

const filings = new Map<string, Filing>()
const add = (filing: Filing) => {
  const known = filings.get(filing.accession)
  filings.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
}

for (const name of lists === null ? [] : readdirSync(lists)) {
  const document = await Bun.file(join(lists ?? '', name)).json()
  // Without this column every row counts as one with structured accounts.
  const { isXBRL: _, ...recent } = document.filings?.recent ?? document
  const all = document.filings === undefined ? recent : { ...document, filings: { recent } }
  for (const filing of parseSubmissions(all, name).filings) add(filing)
}
for (const name of sets === null ? [] : readdirSync(sets)) {
  const zip = await openZip(join(sets ?? '', name))
  for await (const entry of zip.eachEntry()) {
    if (basename(entry.fileName) !== 'sub.txt') continue
    const [header, ...lines] = new TextDecoder()
      .decode(await readEntry(zip, entry))
      .trimEnd()
      .split('\n')
    const columns = header.split('\t').map(column => column.trim())
    for (const line of lines) {
      const fields = line.split('\t')
      const field = (column: string) => fields[columns.indexOf(column)]
      const filed = dayNumber(field('filed').replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'))
      const shown = Date.parse(`${field('accepted').slice(0, 19).replace(' ', 'T')}Z`)
      const stated = Number.isNaN(shown) ? [] : [{ lister: '', shown, clock: 'local' as const }]
      add({ accession: field('adsh'), form: field('form'), filed, acceptedAt: null, readings: stated })
    }
  }
  zip.close()
}

const readings = new Map([...filings].map(([accession, filing]) => [accession, filing.readings ?? []]))
const times = settleEdgarTimes(readings)

const newYork = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
})
/** `2021-01-27 18:03:06` in New York. */
const clockOf = (accession: string) => {
  const at = times.get(accession) ?? null
  return at === null ? null : newYork.format(at)
}

const reports = [...filings.values()].filter(({ form }) => isPeriodic(form))

const guide = await Bun.file(new URL('../../../../docs/importing-and-syncing.md', import.meta.url)).text()
const [, exceptions = ''] = guide.split('### Reports with an unusual time')
const named = (heading: string) => {
  const [, after = ''] = exceptions.split(heading)
  return [...after.split('\n\n')[1].matchAll(/\d{10}-\d\d-\d{6}/g)].map(([accession]) => accession).sort()
}
const accessionsOf = (some: readonly Filing[]) => some.map(({ accession }) => accession).sort()
const hasDataSet = ({ readings = [] }: Filing) => readings.some(({ lister }) => lister === '')
const hasList = ({ readings = [] }: Filing) => readings.some(({ lister }) => lister !== '')
/** Unlike the time that is served, the time of a data set is not rounded up here. */
const shownClock = ({ accession, readings = [] }: Filing) =>
  readings.length === 1 && readings[0].lister === ''
    ? new Date(readings[0].shown).toISOString().slice(0, 19).replace('T', ' ')
    : clockOf(accession)

describe.skipIf(lists === null || sets === null)('the periodic reports of the real files', () => {
  test('have a time between 06:00 and 22:05 in New York, or none because no source states one', () => {
    const known = reports.map(({ accession }) => clockOf(accession)).filter(time => time !== null)
    expect(known.filter(time => time.slice(11) < '06:00:00' || time.slice(11) > '22:05:00')).toEqual([])
    const without = reports.filter(({ accession }) => clockOf(accession) === null)
    expect([reports.length, known.length, without.length]).toEqual([7_555, 7_495, 60])
    const isMidnight = ({ readings = [] }: Filing) => readings.some(({ shown }) => isPlaceholder(shown))
    const [midnight, others] = [without.filter(isMidnight), without.filter(filing => !isMidnight(filing))]
    const filers = Map.groupBy(midnight, ({ readings = [] }) => readings[0].lister)
    expect([...filers].map(([filer, some]) => [filer, some.length]).sort()).toEqual([
      ['0000749647', 32],
      ['0001009672', 22],
    ])
    // The data set of 2025-07-01 leaves `accepted` empty.
    expect(others.map(({ readings }) => readings)).toEqual(Array(6).fill([]))
  })

  test('agree within a minute where two sources state a time, and the later one counts', () => {
    const both = [...filings.values()].filter(filing => hasDataSet(filing) && hasList(filing))
    expect(both).toHaveLength(10)
    for (const { accession, readings = [] } of both) {
      const fromList = readings.find(({ lister }) => lister !== '')?.shown ?? 0
      const fromSet = readings.find(({ lister }) => lister === '')?.shown ?? 0
      // The clock of the list shows either the same as the data set or four or five hours more.
      const hours = Math.round((fromList - fromSet) / 3_600_000)
      expect(Math.abs(fromList - hours * 3_600_000 - fromSet)).toBeLessThanOrEqual(60_000)
      const later = Math.max(fromList - hours * 3_600_000, fromSet)
      expect([accession, clockOf(accession)]).toEqual([
        accession,
        new Date(later).toISOString().slice(0, 19).replace('T', ' '),
      ])
    }
  })

  test('keep their time where it does not fit their day, and the guide names each of them', () => {
    const sameDay = reports.filter(filing => {
      const clock = shownClock(filing)
      return clock !== null && clock.slice(11) > '17:31' && clock.slice(0, 10) === isoDate(filing.filed)
    })
    expect(accessionsOf(sameDay)).toEqual(named('after 17:30 and carry the same day'))
    const earlier = reports.filter(
      filing => (clockOf(filing.accession) ?? '').slice(0, 10) > isoDate(filing.filed),
    )
    expect(accessionsOf(earlier)).toEqual(named('carry the day before their acceptance'))
    const afterTen = [...filings.values()].filter(filing => (shownClock(filing) ?? '').slice(11) > '22:00:00')
    expect(accessionsOf(afterTen.filter(hasDataSet))).toEqual(named('after 22:00'))
  })
})
