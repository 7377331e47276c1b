import type { Universe } from '../../universe/schema.ts'
import type { PageDeps } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import type { DataUse } from '../useThisData/panel.ts'
import { type UniverseFields, universePath } from './query.ts'
import { maxRows } from './read.ts'

/** How programs get the first page of a universe; the Python client gets all of them. Every key may see it. */
export function universeUse(
  { settings, markets }: Pick<PageDeps, 'settings' | 'markets'>,
  { market, as_of: day }: Universe,
  fields: UniverseFields,
): DataUse {
  const as_of = fields.asOf === '' ? undefined : day
  const state = fields.state === '' ? undefined : fields.state
  const isFile = isDownloadable(settings, markets.get(market))
  return {
    baseUrl: settings.baseUrl,
    path: '/api/v1/universe',
    query: { market, as_of, state, limit: maxRows },
    python: { method: 'universe', args: [market], named: { as_of, state } },
    tool: null,
    file: isFile ? universePath(fields, { path: '/universe/download' }) : null,
    key: 'demo',
  }
}
