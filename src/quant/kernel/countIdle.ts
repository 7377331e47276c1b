import type { BookSettings } from '../bookSettings.ts'
import { legSize } from '../legSize.ts'

/** Fills idle[t .. t + count - 1]: how many periods in a row, up to and with each, formed no leg. Once that is h the
 * book is empty.
 *
 * @param eligible names that may be in legs, of every period */
export function countIdle(
  idle: Int32Array,
  eligible: Int32Array,
  { quantile, longShort }: Pick<BookSettings, 'quantile' | 'longShort'>,
  t: number,
  count: number,
): void {
  for (let i = t; i < t + count; i++) {
    const before = i > 0 ? idle[i - 1] : 0
    idle[i] = legSize(eligible[i], quantile, longShort) > 0 ? 0 : before + 1
  }
}
