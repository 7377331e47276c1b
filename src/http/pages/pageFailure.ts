import { Failure } from '../../errors.ts'
import type { Page } from './shell.ts'

/**
 * A failure that browsers see as a page of its own, for example with the form as it was sent. Programs get the same error
 * as for any other failure.
 */
export class PageFailure extends Failure {
  readonly page: Page

  constructor({ code, message, details }: Failure, page: Page) {
    super(code, message, details)
    this.page = page
  }
}
