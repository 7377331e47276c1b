import type { Sql } from '../../src/postgres/client.ts'

/** Decides what becomes of a statement: undefined runs it as it is, a promise delays it, and one that rejects fails it.
 *
 * @param text of the statement or of a fragment of one, with `?` for each parameter */
export type Decide = (text: string, parameters: readonly unknown[]) => Promise<unknown> | undefined

/** `sql` whose statements, also those of reserved connections, ask `decide` first. Real verbs meet a slow, failing or counted
 * database through it. */
export function interceptSql<T extends Sql>(sql: T, decide: Decide): T {
  return new Proxy(sql, {
    apply(target, self, args: unknown[]) {
      const [template, ...parameters] = args
      const run = () => Reflect.apply(target, self, args)
      // Other calls are helpers, such as `sql(rows)`.
      if (!Array.isArray(template) || !('raw' in template)) return run()
      const decision = decide(template.join('?'), parameters)
      return decision === undefined ? run() : decision.then(run)
    },
    get(target, name) {
      if (name === 'reserve') return async () => interceptSql(await target.reserve(), decide)
      return Reflect.get(target, name)
    },
  })
}

/** An error as the driver throws it. */
export const databaseError = (code: string, message = 'an error of the database') =>
  Object.assign(new Error(message), { code })

/** The code of PostgreSQL for a statement past its time. */
export const statementTimeout = '57014'
