import type { SubmittedForm } from '../../http/submittedForm.ts'
import { type GrantOrder, grantableLicence, invalid } from '../licensing/terms.ts'
import type { GrantFields } from './pages/frame.ts'

/** The fields of a grant as they were sent. */
export const readGrantFields = (form: SubmittedForm): GrantFields => ({
  licence: form.text('licence'),
  quant: form.text('quant') === 'yes',
  key: form.text('key'),
  first: form.text('first'),
  last: form.text('last'),
  perMinute: form.text('per-minute'),
  perDay: form.text('per-day'),
  entityCap: form.text('entity-cap'),
  bulk: form.text('bulk') === 'yes',
})

/** The order in the fields of a form. */
export function orderOf(fields: GrantFields): GrantOrder {
  const licence = grantableLicence(fields.licence)
  if (licence === null) throw invalid('licence', 'Choose one of the licences.')
  const perMinute = number('requests a minute', fields.perMinute)
  const perDay = number('requests a day', fields.perDay)
  const entityCap = number('companies', fields.entityCap)
  return {
    licence,
    quant: fields.quant,
    firstDay: fields.first,
    lastDay: fields.last === '' ? null : fields.last,
    ...(perMinute === null ? {} : { perMinute }),
    ...(perDay === null ? {} : { perDay }),
    ...(entityCap === null ? {} : { entityCap }),
    ...(fields.bulk ? { bulk: true } : {}),
  }
}

function number(what: string, text: string): number | null {
  if (text === '') return null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw invalid(
    what,
    `The number of ${what} is a whole number from 1 to 999999999, or empty for the licence's own.`,
  )
}
