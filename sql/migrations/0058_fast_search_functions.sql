-- Why: searches, imports and the build of the index of names call four functions that PostgreSQL starts anew for each value, because it
-- cannot inline them: 8 microseconds for a folded name and 21 for the terms of one, now 3 and 14. What they return stays the same, so no
-- index and no stored name changes. And a ready answer was made by three reads of its company's figures and a probe for each metric: now
-- by two reads.

-- Procedural like name_terms_of, and naming no function that is not of the system for the same reason.
create or replace function search_text(text) returns text
language plpgsql immutable strict parallel safe
as $$
begin
  if octet_length($1) = char_length($1) then
    return btrim(regexp_replace(lower($1), '\s+', ' ', 'g'));
  end if;
  return btrim(regexp_replace(
    replace(replace(replace(replace(
      translate(
        normalize(regexp_replace(normalize(lower(normalize($1, NFKC)), NFKD),
          U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), NFC),
        'øłđħŧıĸðςŋɨʉɓɗƒǥȼ', 'oldhtikdσniubdfgc'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    '\s+', ' ', 'g'));
end
$$;

create or replace function search_name_words(folded text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  words text;
begin
  -- Most names have neither marks nor accents: their words are as they are written.
  if folded ~ '^[a-z0-9]+( [a-z0-9]+)*$' then
    return ' ' || folded || ' ' || replace(folded, ' ', '') || ' ';
  end if;
  words := ' ' || btrim(regexp_replace(folded, '[^[:alnum:]]+', ' ', 'g')) || ' ';
  if folded ~ '[^[:alnum:][:space:]]' then
    words := words || btrim(regexp_replace(regexp_replace(folded, '[^[:alnum:][:space:]]+', '', 'g'), '\s+', ' ', 'g')) || ' ';
  end if;
  return words || regexp_replace(folded,
    U&'[\0001-\002F\003A-\0040\005B-\0060\007B-\00BF\00D7\00F7\02B9-\02DF\2000-\206F\2190-\2BFF\3000-\3004\3008-\3020\3030\303D\30FB\FE10-\FE6F]+',
    '', 'g') || ' ';
end
$$;

-- Not strict, because PostgreSQL inlines no strict function whose text has an array. Both are null for null all the same.
create or replace function name_size(length integer) returns text
language sql immutable parallel safe
return chr(97 + width_bucket(length, array[5, 7, 9, 11, 13, 15, 17, 19, 21, 25, 29, 33, 41]));

create or replace function search_by_word(market text) returns boolean
language sql immutable parallel safe
return market in ('FR', 'BE', 'DK');

-- As in 0031, where each column is described. `latest` of a figure is the first of its metric's current ones.
create or replace function fill_ready_answers(companies integer[]) returns integer
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set extra_float_digits = 1
as $$
declare
  today constant date := import_day();
  made integer;
begin
  if to_regclass('fact_cross_section') is null then
    update ready_sweep set upto = 0 where upto is distinct from 0;
    return null;
  end if;
  -- Who changes what readers see holds this row for update, from before the change until its end (next_data_version).
  perform from data_version for share skip locked;
  if not found then return null; end if;
  delete from ready_answer r using unnest(companies) c, entity_ticker t
  where t.entity_id = c and r.ticker = t.ticker and r.end_day <= today;
  insert into ready_answer (ticker, entity_id, first_day, end_day, preferred, issuer_id, market, name, twin, latest, history)
  select t.ticker, e.entity_id, today, known.next_day, e.ticker, e.issuer_id, e.market, e.name,
         (select min(o.ticker) from entity_ticker o
          where o.entity_id = e.entity_id and o.ticker <> t.ticker and split_part(o.ticker, '.', 1) = split_part(t.ticker, '.', 1)),
         '[' || coalesce(shown.latest, '') || ']',
         case when known.vintages <= 1000 and known.vintages = shown.places then '[' || coalesce(shown.history, '') || ']' end
  from unnest(companies) c
  join entity e on e.entity_id = c
  join entity_ticker t on t.entity_id = c
  cross join lateral (
    select count(*) filter (where f.fp < 5 and f.filed <= today) as vintages,
           coalesce(min(least(
             case when f.filed > today then f.filed end,
             case when f.superseded > today then f.superseded end,
             case when f.earlier_since > today then f.earlier_since end)), 'infinity') as next_day
    from fact f where f.entity_id = c) known
  cross join lateral (
    select string_agg(g.beginning || g.figures || ']', ',') as history, string_agg(g.beginning || g.latest || ']', ',') as latest,
           coalesce(sum(g.places), 0) as places
    from (
      -- A current figure has no `until`. to_json writes a day whatever the DateStyle of the connection.
      select format('[%s,%s,%s,%s,%s,%s,%s,', f.fy, f.fp, to_json(f.period_end), to_json(f.filed), to_json(f.unit), f.kind,
                    coalesce(to_json(f.until)::text, 'null')) as beginning,
             string_agg(f.figure, ',') as figures, string_agg(f.figure, ',') filter (where f.is_latest) as latest,
             count(*) filter (where f.is_place) as places
      from (
        select s.fy, s.fp, s.period_end, s.filed, s.kind, s.until, s.is_place, u.name as unit, s.is_latest and not m.is_trailing as is_latest,
               to_json(m.name) || ',' || to_json(s.value) as figure
        from (
          select f.metric_id, f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.until,
                 (f.tag_id is null)::int + 2 * f.is_earlier::int as kind,
                 f.current and row_number() over (
                   partition by f.metric_id order by f.current desc, f.period_end desc, (f.fp = 0) desc, f.fp desc) = 1 as is_latest,
                 row_number() over (partition by f.metric_id, f.period_end, f.filed, f.fp) = 1 as is_place
          from fact_as_of(today) f
          where f.entity_id = c) s
        join metric m on m.metric_id = s.metric_id
        join unit u on u.unit_id = s.unit_id) f
      group by f.fy, f.fp, f.period_end, f.filed, f.unit, f.kind, f.until) g) shown
  where not exists (select from ready_answer r where r.ticker = t.ticker)
    -- An answer names the companies that had the ID before, by the IDs that they have now: such an ID has no row.
    and not exists (select from entity_former_id f where f.ticker = t.ticker)
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end
$$;

-- It was for that function alone, which now writes the beginning of a group once for both columns.
drop function if exists ready_group(smallint, smallint, date, date, text, integer, date, text);

-- An open connection keeps the expressions of an index as the functions were when it first read them: it would no longer take the two
-- indexes of names for the expression of a search, and read all names until it ends. A change of the index, here of nothing, makes it
-- read them again.
alter index if exists entity_names alter column 1 set statistics -1;
alter index if exists entity_other_names alter column 1 set statistics -1;
