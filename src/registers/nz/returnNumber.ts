import { isRecord, textOf } from '../fields.ts'

/** The number of an annual return: OData may leave a key out of the fields and has it in the address of the row. */
export function returnNumber(row: Record<string, unknown>): string | null {
  const address = isRecord(row.__metadata) ? textOf(row.__metadata.uri) : null
  const number = String(row.AnnualReturnId ?? /AnnualReturnId=(\d+)/.exec(address ?? '')?.[1])
  return /^\d{1,12}$/.test(number) ? number : null
}
