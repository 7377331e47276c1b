import type { UnitKind } from './conceptTable.ts'

const currency = /^[A-Z]{3}$/
const perShare = /^[A-Z]{3}\/shares$/

const known = new Map<string, string>()

/** One string for all units of a name: a piece cut from a file would keep the file in memory. */
function oneOf(unit: string): string {
  const first = known.get(unit)
  if (first !== undefined) return first
  const copy = Buffer.from(unit).toString()
  known.set(copy, copy)
  return copy
}

/** The unit of a figure as the service writes it, null where it is not of the kind that the metric has. The
 * Financial Statement Data Sets leave `/shares` out. */
export function unitOf(raw: string, kind: UnitKind): string | null {
  switch (kind) {
    case 'money':
      return currency.test(raw) ? oneOf(raw) : null
    case 'perShare':
      return perShare.test(raw) ? oneOf(raw) : currency.test(raw) ? oneOf(`${raw}/shares`) : null
    case 'shares':
      return raw === 'shares' ? 'shares' : null
  }
}
