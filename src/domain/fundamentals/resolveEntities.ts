import { Failure } from '../../errors.ts'
import { type EntityIdentity, findNamed } from '../../store/fundamentals/findNamed.ts'
import type { FundamentalsDeps } from './deps.ts'
import { nearIds } from './nearIds.ts'

const mostNamed = 10

/** The entities that IDs name, in their order. All that are unknown are named in one refusal. */
export async function resolveEntities(
  deps: FundamentalsDeps,
  tickers: readonly string[],
): Promise<EntityIdentity[]> {
  const found = await (deps.entities ? deps.entities.findAll(tickers) : findNamed(deps.sql, tickers))
  const entities: EntityIdentity[] = []
  const unknown: string[] = []
  for (const ticker of tickers) {
    const entity = found.get(ticker)
    if (entity === undefined) unknown.push(ticker)
    else entities.push(entity)
  }
  if (unknown.length === 0) return entities
  const near = await nearIds(deps.sql, deps.markets.manifests, unknown[0])
  const ofFirst = unknown.length === 1 ? '' : ` for ${unknown[0]}`
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}${ofFirst}?` : ''
  const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : ''
  const names = `${unknown.slice(0, mostNamed).join(',')}${more}`
  throw new Failure(
    'entity_unknown',
    `ticker=${names} ${unknown.length === 1 ? 'names no entity' : 'name no entities'} here.${hint} GET /api/search?q= finds an ID from a name, GET /api/v1/coverage/{id} from a register number.`,
    { param: 'ticker', near },
  )
}
