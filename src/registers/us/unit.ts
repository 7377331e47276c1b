import type { UnitKind } from './concepts.ts'

const currency = /^[A-Z]{3}$/
const perShare = /^[A-Z]{3}\/shares$/

/** The unit of a figure as the service writes it, null where it is not of the kind that the metric has. The
 * Financial Statement Data Sets leave `/shares` out. */
export function unitOf(raw: string, kind: UnitKind): string | null {
  switch (kind) {
    case 'money':
      return currency.test(raw) ? raw : null
    case 'perShare':
      return perShare.test(raw) ? raw : currency.test(raw) ? `${raw}/shares` : null
    case 'shares':
      return raw === 'shares' ? raw : null
  }
}
