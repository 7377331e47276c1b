import type { AccessDeps } from '../../access/authenticate.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Mailer } from './mail.ts'
import type { UsageRecorder } from './usage.ts'

export interface AccountDeps {
  readonly sql: Sql
  readonly access: AccessDeps
  readonly mailer: Mailer
  readonly usage: UsageRecorder
  readonly settings: { baseUrl: string }
}
