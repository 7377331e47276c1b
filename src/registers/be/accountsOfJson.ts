import { isRecord, textOf } from '../fields.ts'
import type { Accounts, Rubric } from './accounts.ts'
import { isReferenceNumber } from './references.ts'

/** Accounts as `application/x.jsonxbrl`: `{ReferenceNumber, EnterpriseName, Rubrics: [{Code, Value, Period}]}`. They say
 * neither whose they are nor of which year. null where there is no reference number. */
export function accountsOfJson(document: Readonly<Record<string, unknown>>): Accounts | null {
  const { ReferenceNumber: reference, EnterpriseName, Rubrics } = document
  if (!isReferenceNumber(reference) || !Array.isArray(Rubrics)) return null
  const rubrics: Rubric[] = []
  let malformed = 0
  for (const rubric of Rubrics) {
    const code = isRecord(rubric) ? textOf(rubric.Code) : null
    const year = isRecord(rubric) ? rubric.Period : null
    if (code === null || !isRecord(rubric) || (year !== 'N' && year !== 'NM1')) malformed++
    else rubrics.push({ code, year, value: String(rubric.Value ?? '').trim() })
  }
  return {
    ...{ reference, name: textOf(EnterpriseName), rubrics, malformed },
    ...{ enterprise: null, currency: null, years: {}, figures: Rubrics.length },
  }
}
