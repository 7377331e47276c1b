-- Why: a backtest needs the companies that existed on a day, including those that have disappeared since. A register says who filed what:
-- its indexes list every filing, and its data sets state the name, industry and filer status of the day, and any co-registrants. These
-- tables store what the sources state, keyed by the register's number, so that the order of imports does not matter and companies without
-- figures are known, too: the entries themselves, the days that the stored indexes cover, former names, and the company states derived
-- from them.

-- If several sources state one filing, each column takes the latest day or the first text in order, so the order of sources does not
-- matter. `is_structured`: a data set lists the filing, or the register marks it as having XBRL figures. `is_equity`, for a notice that ends
-- a class of securities: whether that class is shares; null if no document of the notice is stored.
create table register_entry (
  market text not null,
  issuer_id text not null,
  accession text not null,
  form text not null,
  filed date not null,
  is_structured boolean not null,
  is_equity boolean,
  company_name text,
  sector text,
  fiscal_year_end text,
  filer_status text,
  primary key (market, issuer_id, accession)
);
create index register_entry_filed on register_entry (market, issuer_id, filed);

-- The days that a stored index covers. `is_full`: it lists every filing of them; otherwise only those with XBRL figures (a data set).
create table register_index (
  market text not null,
  is_full boolean not null,
  first_day date not null,
  last_day date not null check (last_day >= first_day),
  primary key (market, is_full, first_day)
);

-- Former names of registrants. `used_from` is null if the source states only the last day.
create table former_name (
  market text not null,
  issuer_id text not null,
  name text not null,
  used_from date,
  used_until date not null,
  primary key (market, issuer_id, name, used_until)
);

create index former_name_search on former_name (search_squeezed(search_text(name)) text_pattern_ops);

-- The states of a company in order. `accession` is the notice that states it; null if the state follows from reports.
create table company_state (
  market text not null,
  issuer_id text not null,
  from_day date not null,
  until_day date not null,
  state text not null check (state in ('reporting', 'delisted', 'deregistered', 'ceased', 'unknown')),
  accession text,
  primary key (market, issuer_id, from_day),
  check (until_day > from_day)
);

-- What a form means for the filer's state. Outside the United States, all filings on record are accounts.
create function filing_role(market text, form text, is_equity boolean) returns text
language sql immutable parallel safe
return case
  when market <> 'US' then 'report'
  when form ~ '^(10-?[KQ](T|T405|405|SB|SB40)?|20-F|40-F)(/A)?$' then 'report'
  -- A notice about a class other than shares changes nothing. A removal from an exchange counts only if its class is known, because most
  -- removals are about bonds, warrants and units.
  when form ~ '^15F?-(12B|12G|15D)$' and is_equity is not false then 'deregistration'
  when form in ('25', '25-NSE') and is_equity then 'delisting'
  when form = '8-A12B' then 'listing'
end;

-- Derives the states of these companies again from what is stored. A report makes its filer `reporting` for 18 months. After that, a Form 15
-- makes it `deregistered`, and a Form 25 for its shares makes it `delisted`, unless it registered shares for another exchange within 30
-- days before the Form 25 or at any time since. Otherwise it has `ceased` if the indexes of every whole month since the report are
-- stored, and is `unknown` from the month after the first gap on. Only filings and indexes up to a day decide the state on that day. A
-- filing may carry the day before its acceptance: 0001104659-21-032214 carries 2021-03-04 and was accepted at 08:14 on the next day, so it
-- counts from then.
create function refresh_company_states(markets text[], issuer_ids text[]) returns void
language sql
-- An import turns these plans off for its own statements. Here thousands of companies would otherwise be compared one by one with all
-- others.
set enable_hashjoin = on set enable_mergejoin = on set jit = off
as $$
  with wanted as materialized (select distinct market, issuer_id from unnest(markets, issuer_ids) as w (market, issuer_id)),
  document as (
    select market, issuer_id, greatest(r.filed, (l.accepted_at at time zone 'America/New_York')::date) as filed, r.accession,
           r.is_structured, filing_role(market, r.form, r.is_equity) as role
    from wanted join register_entry r using (market, issuer_id) left join filing l on l.accession = r.accession and market = 'US'
    union all
    select market, issuer_id,
           greatest(l.filed, case market when 'US' then (l.accepted_at at time zone 'America/New_York')::date end), l.accession, market = 'US', filing_role(market, l.form, null)
    from wanted join entity e using (market, issuer_id) join filing l on l.entity_id = e.entity_id
    where l.filed < 'infinity'
  ),
  on_day as (
    select market, issuer_id, filed as day, bool_or(role = 'report') as has_report,
           bool_or(role = 'report' and is_structured) as is_structured,
           min(accession) filter (where role = 'deregistration') as deregistered_by,
           min(accession) filter (where role = 'delisting') as delisted_by, bool_or(role = 'listing') as is_listing
    from document where role is not null
    group by market, issuer_id, filed
  ),
  -- A text begins with its day, so the greatest one is the latest.
  known as (
    select market, issuer_id, day, lead(day, 1, 'infinity') over ordered as next_day,
           max(day) filter (where has_report) over upto as reported,
           max(to_char(day, 'YYYY-MM-DD') || is_structured::int) filter (where has_report) over upto as last_report,
           max(to_char(day, 'YYYY-MM-DD') || deregistered_by) filter (where deregistered_by is not null) over upto as deregistered,
           max(to_char(day, 'YYYY-MM-DD') || delisted_by) filter (where delisted_by is not null) over upto as delisted,
           max(day) filter (where is_listing) over upto as listed
    from on_day
    window ordered as (partition by market, issuer_id order by day),
           upto as (partition by market, issuer_id order by day rows between unbounded preceding and current row)
  ),
  -- The stored indexes as spans of days without a gap: all of them, and the full ones alone.
  span as (
    select market, with_sets, min(first_day) as first_day, max(last_day) as last_day
    from (
      select *, count(*) filter (where first_day > reach + 1) over (partition by market, with_sets order by first_day, last_day) as island
      from (
        select i.*, s.with_sets,
               coalesce(max(last_day) over (partition by i.market, s.with_sets order by first_day, last_day
                                            rows between unbounded preceding and 1 preceding), first_day) as reach
        from register_index i cross join (values (true), (false)) s (with_sets)
        where i.is_full or s.with_sets) reached) islands
    group by market, with_sets, island
  ),
  judged as (
    select k.*, (k.reported + interval '18 months')::date as overdue,
           case when left(k.deregistered, 10)::date >= k.reported then 'deregistered'
                when left(k.delisted, 10)::date >= k.reported and coalesce(k.listed < left(k.delisted, 10)::date - 30, true) then 'delisted'
           end as notice,
           (date_trunc('month', coalesce(
             (select s.last_day from span s
              where s.market = k.market and s.with_sets = (right(k.last_report, 1) = '1')
                and k.reported + 1 between s.first_day and s.last_day), k.reported) + 1) + interval '1 month')::date as first_unknown
    from known k
    where k.reported is not null
  ),
  part as (
    select market, issuer_id, day as from_day, notice as state, substr(case notice when 'delisted' then delisted else deregistered end, 11) as accession
    from judged
    where notice is not null
    union all
    select j.market, j.issuer_id, s.from_day, s.state, null
    from judged j cross join lateral (values
      ('reporting', j.day, least(j.next_day, j.overdue)),
      ('ceased', greatest(j.day, j.overdue), least(j.next_day, j.first_unknown)),
      ('unknown', greatest(j.day, j.overdue, j.first_unknown), j.next_day)) s (state, from_day, until_day)
    where j.notice is null and s.from_day < s.until_day
  ),
  fresh as materialized (
    select market, issuer_id, from_day,
           lead(from_day, 1, 'infinity') over (partition by market, issuer_id order by from_day) as until_day, state, accession
    from (
      select *, (state, accession) is distinct from
             (lag(state) over (partition by market, issuer_id order by from_day),
              lag(accession) over (partition by market, issuer_id order by from_day)) as is_change
      from part) parts
    where is_change
  ),
  gone as (
    delete from company_state s using wanted w
    where s.market = w.market and s.issuer_id = w.issuer_id
      and not exists (select from fresh f where f.market = s.market and f.issuer_id = s.issuer_id and f.from_day = s.from_day)
  )
  insert into company_state (market, issuer_id, from_day, until_day, state, accession)
  select f.* from fresh f
  where not exists (
    select from company_state s
    where s.market = f.market and s.issuer_id = f.issuer_id and s.from_day = f.from_day
      and s.until_day = f.until_day and s.state = f.state and s.accession is not distinct from f.accession)
  on conflict (market, issuer_id, from_day) do update
    set until_day = excluded.until_day, state = excluded.state, accession = excluded.accession;
$$;

select refresh_company_states(array_agg(market), array_agg(issuer_id)) from entity;

call keep_past_rows('register_entry');
call keep_past_rows('register_index');
call keep_past_rows('former_name');
call keep_past_rows('company_state');
create index register_entry_past_issuer on register_entry_past (market, issuer_id, filed);
create index former_name_past_issuer on former_name_past (market, issuer_id);
create index company_state_past_issuer on company_state_past (market, issuer_id, from_day);
