import type { TransactionSql } from '../database.ts'

/** Any number will do as long as every importer on one database uses the same. */
const importLock = 0x61736970

/** Holds back other importers until this transaction ends: what it read of an entity is what it replaces. */
export async function takeImportLock(transaction: TransactionSql): Promise<void> {
  await transaction`select pg_advisory_xact_lock(${importLock})`
}
