import type { TransactionSql } from '../database.ts'

/** Has every statement of this transaction find its rows one by one, by index. A plan is kept while a load goes on, and one
 * that was made when the tables were small would read them whole when they are large. */
export async function planByIndex(transaction: TransactionSql): Promise<void> {
  await transaction`
    select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`
}
