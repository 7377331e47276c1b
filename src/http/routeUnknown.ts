import { Failure } from '../errors.ts'
import type { Call } from './Call.ts'

export function routeUnknown(call: Call): Failure {
  return new Failure(
    'route_unknown',
    `There is no route ${call.request.method} ${call.path.slice(0, 100)}. /docs lists them all; the versioned ones begin with /api/v1.`,
  )
}
