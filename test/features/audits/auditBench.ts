import { operator } from '../../../src/backtest/pool/caller.ts'
import { writeAudit } from '../../../src/features/audits/answer.ts'
import { openAudit, runAudit } from '../../../src/features/audits/runAudit.ts'
import type { Audit } from '../../../src/features/audits/schema.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { ReadLimiter } from '../../../src/postgres/readLimiter.ts'
import { joinBench } from '../asOfJoins/joinBench.ts'
import { companyDeps, markets, rightsOf } from '../companies/fixtures.ts'

export interface AuditBench {
  readonly audit: (request: object) => Promise<Audit>
  close(): Promise<void>
}

/** Audits by the verbs that the route calls, on a real thread. */
export async function auditBench(sql: Sql): Promise<AuditBench> {
  const { deps, close } = await joinBench(sql)
  let version = 0
  const { terms } = companyDeps(sql)
  const own = { ...deps, terms, readLimiter: new ReadLimiter(2), dataVersion: () => version }
  const sender = { rights: rightsOf('personal'), caller: operator, budget: null }
  return {
    close,
    audit: async request => {
      version = await readDataVersion(sql)
      const body = new TextEncoder().encode(JSON.stringify(request))
      const { signal } = new AbortController()
      const read = await openAudit(own, sender, { body, format: 'json', query: {} }, signal)
      const answer = await runAudit(own, sender, read, ['json'], signal)
      const { parts } = writeAudit(markets, answer, 'json', '')
      const text = parts.map(part => new TextDecoder().decode(new Uint8Array(part))).join('')
      answer.release()
      return JSON.parse(text)
    },
  }
}
