import type { Principal } from '../../model/access.ts'
import { freeLicenceNotice } from '../../model/freeLicence.ts'

/** Keys whose data is Free Data: each of their answers says so. */
export const isFreeData = ({ licence }: Principal): boolean => licence === 'demo' || licence === 'free'

/** The answer with the Free Licence's notice, where the caller holds no other. */
export function licensed<Answer extends object>(
  principal: Principal,
  answer: Answer,
): Answer & { licence?: string } {
  return isFreeData(principal) ? { ...answer, licence: freeLicenceNotice } : answer
}
