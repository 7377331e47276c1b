/** The ten digits of an enterprise number, however it is written (`BE 0410.682.657`, `410682657`); null where its last two
 * are not the check on the others. */
export function enterpriseNumber(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const digits = text.trim().replace(/^BE/i, '').replaceAll(/[\s.]/g, '')
  if (!/^\d{9,10}$/.test(digits)) return null
  const number = digits.padStart(10, '0')
  return Number(number.slice(8)) === 97 - (Number(number.slice(0, 8)) % 97) ? number : null
}
