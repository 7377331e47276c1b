import { makeToken, tokenDigest } from '../../access/cookies.ts'
import type { Mailbox } from '../../access/emailAddress.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Mailer } from './mail.ts'
import { insertCode, signIn as signInStored } from './signInQueries.ts'

export const codeMinutes = 10
/** Wrong guesses after which a code becomes invalid. */
export const maxGuesses = 5

/** Draws a six-digit code without bias: values above the largest multiple of a million are drawn again. */
function makeCode(): string {
  const [number] = crypto.getRandomValues(new Uint32Array(1))
  return number >= 4_294_000_000 ? makeCode() : String(number % 1_000_000).padStart(6, '0')
}

/**
 * The stored digest of a code. Only the browser has the token, so nobody can try the million codes against
 * what is stored.
 */
function codeDigest(token: string, code: string): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher('sha256', token).update(code).digest())
}

/**
 * Sends a code to a mailbox and returns the token for the cookie of the browser that requested it. The
 * response and its timing do not reveal whether the mailbox has an account.
 *
 * @param whenLost called if the mail is given up after this has returned
 */
export async function sendCode(
  { sql, mailer, baseUrl }: { sql: Sql; mailer: Mailer; baseUrl: string },
  mailbox: Mailbox,
  whenLost: () => Promise<void>,
): Promise<string> {
  const token = makeToken()
  const code = makeCode()
  await insertCode(sql, {
    browser: tokenDigest(token),
    digest: codeDigest(token, code),
    email: mailbox.address,
    domain: mailbox.registrableDomain,
    minutes: codeMinutes,
  })
  const mail = {
    to: mailbox.address,
    subject: 'Your sign-in code',
    text: codeMail(code, baseUrl),
    minutes: codeMinutes,
  }
  await mailer.send(mail, whenLost)
  return token
}

const codeMail = (code: string, baseUrl: string) => `Your code for ${baseUrl} is

    ${code}

It works once, within ${codeMinutes} minutes, in the browser in which you requested it.
If you did not request it, ignore this e-mail: nobody can sign in without the code.
`

export interface Visit {
  readonly address: string
  readonly agent: string
}

export type SignIn =
  /** Cookie tokens of the new session and of the browser, which is remembered from now on. */
  | { readonly outcome: 'done'; readonly session: string; readonly known: string }
  | { readonly outcome: 'wrong'; readonly guessesLeft: number }
  /** The code expired, was used, ran out of guesses, or was never sent to this browser. */
  | { readonly outcome: 'over' }

/** The tokens that a browser sent. */
export interface SentTokens {
  /** Token of the browser that requested the code. */
  readonly signin: string
  readonly session: string | null
  readonly known: string | null
}

/**
 * Uses a code. The new session and the remembered browser get fresh tokens, never ones that came with the
 * request; these replace the browser's earlier ones.
 */
export async function useCode(sql: Sql, sent: SentTokens, code: string, visit: Visit): Promise<SignIn> {
  const [session, known] = [makeToken(), makeToken()]
  const digestOf = (token: string | null) => (token === null ? null : tokenDigest(token))
  const used = await signInStored(sql, {
    browser: tokenDigest(sent.signin),
    digest: codeDigest(sent.signin, code.replaceAll(/[\s-]/g, '')),
    maxGuesses,
    session: tokenDigest(session),
    previousSession: digestOf(sent.session),
    known: tokenDigest(known),
    previousKnown: digestOf(sent.known),
    ...visit,
  })
  if (used === null) return { outcome: 'over' }
  if (used.isRight) return { outcome: 'done', session, known }
  const guessesLeft = maxGuesses - used.guesses
  return guessesLeft > 0 ? { outcome: 'wrong', guessesLeft } : { outcome: 'over' }
}
