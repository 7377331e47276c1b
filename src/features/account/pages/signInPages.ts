import { html } from '../../../html.ts'
import { codeMinutes } from '../codes.ts'
import { type Mailer, mailIsOff } from '../mail.ts'
import { accountPage, notice } from './frame.ts'

export interface SignInState {
  readonly mail: Mailer['kind']
  /** The path to redirect to afterwards, already validated. */
  readonly next: string
  readonly email?: string
  readonly fault?: string
}

/** /sign-in: the form for an e-mail address, the same for new and existing accounts. */
export const signInPage = ({ mail, next, email = '', fault }: SignInState): string =>
  accountPage({
    title: 'Sign in',
    main:
      mail === 'off'
        ? notice(mailIsOff, 'bad')
        : html`${fault !== undefined && notice(fault, 'bad')}
<p>Enter your e-mail address, and we send you a six-digit code. There is no password. If you have no account yet, this creates one.</p>
<form method="post" action="/sign-in" class="stack">
<input type="hidden" name="next" value="${next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${email}" autofocus>
<button>Send the code</button>
</form>
${mail === 'terminal' && html`<p class="quiet">This server does not send e-mail. The code appears in its terminal, and <code>./asfiled mail</code> shows it.</p>`}`,
  })

export interface CodeState {
  readonly mail: Mailer['kind']
  readonly next: string
  readonly email: string
  readonly fault?: string
}

/** /sign-in/code: asks for the code that was sent. */
export const codePage = ({ mail, next, email, fault }: CodeState): string =>
  accountPage({
    title: 'Enter the code',
    main: html`${fault !== undefined && notice(fault, 'bad')}
<p>${
      mail === 'terminal'
        ? html`The code for <strong>${email}</strong> is in the terminal of this server. <code>./asfiled mail</code> shows it too.`
        : html`We have sent a code to <strong>${email}</strong>.`
    } It works for ${codeMinutes} minutes, and only in this browser.</p>
<form method="post" action="/sign-in/code" class="stack">
<input type="hidden" name="next" value="${next}">
<label for="code">Code</label>
<input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 \\-]{6,9}" title="Six digits" required maxlength="9" autofocus>
<button>Sign in</button>
</form>
<p class="quiet">No code? ${mail === 'smtp' && 'Check your spam folder, or '}<a href="/sign-in">${mail === 'smtp' ? 'enter' : 'Enter'} your address again</a>.</p>`,
  })
