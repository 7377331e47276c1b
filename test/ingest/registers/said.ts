import { isoDate } from '../../../src/dates.ts'
import type { DocumentContent } from '../../../src/ingest/registers/register.ts'

/** What a document states: `metric start..end value`, or `metric end value` for a balance sheet. */
export const said = (content: DocumentContent): string[] =>
  content.contributions
    .flatMap(({ statements }) => statements)
    .map(({ metric, start, end, value }) => {
      const days = start === null ? isoDate(end) : `${isoDate(start)}..${isoDate(end)}`
      return `${metric} ${days} ${value}`
    })
    .sort()
