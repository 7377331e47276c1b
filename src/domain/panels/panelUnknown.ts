import { Failure } from '../../errors.ts'
import { panelKeptDays } from '../../model/panel.ts'

/** Another key's panel might as well never have been. */
export function panelUnknown(panelId: string, param: 'id' | 'panel'): Failure {
  return new Failure(
    'entity_unknown',
    `This key has no panel ${panelId}. GET /api/v1/panels lists those it has; one that is not used for ${panelKeptDays} days is deleted.`,
    { param },
  )
}
