import { Failure } from '../errors.ts'
import { isFreeData, type Principal } from './licences.ts'

/** Fails if the caller's licence does not include earlier data versions of what is requested. Where the licence includes `as_of` it
 * does; the demo key and free keys may pin requests for flagship companies only.
 *
 * @param what what the request is about, for the message
 * @param ids the companies that it names; null: it is about more than some companies */
export function requirePinRight(
  principal: Principal,
  version: number | undefined,
  flagship: ReadonlySet<string>,
  what: string,
  ids: readonly string[] | null,
): void {
  if (version === undefined || !isFreeData(principal)) return
  if (ids?.every(id => flagship.has(id.toUpperCase()))) return
  const open = [...flagship].join(', ') || 'no company'
  throw new Failure(
    'licence_required',
    `data_version for ${what} requires an evaluation key or a Personal or Commercial data licence. The ${principal.licence} licence allows it only for ${open}. Omit data_version for the present.`,
    { param: 'data_version' },
  )
}
