/** Eight random bytes for this process, then a count: unique without asking for randomness each time. */
const mine = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
let count = 0

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** The X-Request-Id that came with a request where it is harmless in a log, else a new one. A key that was put into
 * the wrong header is not. */
export function requestId(sent: string | null): string {
  if (sent !== null && sane.test(sent) && !sent.includes('asf_')) return sent
  return `${mine}-${(++count).toString(36)}`
}
