/** Removes everything that migration 0046 adds, for tests of older databases. */
export const withoutUniverse = `
  drop table register_entry, register_index, former_name, company_state,
    register_entry_past, register_index_past, former_name_past, company_state_past cascade;
  drop function refresh_company_states, filing_role, keep_register_entry, keep_register_index, keep_former_name,
    keep_company_state;`
