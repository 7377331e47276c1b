-- Why: several companies may file one report, and the order of reports within a day decides which figure is current. When a list shows the
-- time of a report, the figures of every company that filed it must be put in order again. `filing` names only the company that was
-- imported first, and a list of reports names only its own company, so a company of which only the figures are imported was missed.
-- Upgrade: rolling. Older servers add no rows; the next import by a newer one does.

-- The companies that state figures of a filing and are not the company of its row in `filing`.
create table co_filer (
  filing_id integer not null,
  entity_id integer not null,
  primary key (filing_id, entity_id)
);

insert into co_filer (filing_id, entity_id)
select f.filing_id, f.entity_id from fact f join filing l on l.filing_id = f.filing_id where l.entity_id <> f.entity_id
union
select r.filing_id, r.entity_id from fact_repeat r join filing l on l.filing_id = r.filing_id where l.entity_id <> r.entity_id;

create function drop_co_filers() returns trigger
language plpgsql
as $$
begin
  delete from co_filer where filing_id in (select filing_id from gone);
  return null;
end
$$;
create trigger filing_co_filers_deleted after delete on filing
  referencing old table as gone for each statement execute function drop_co_filers();
