--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: asfiled_queue; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA asfiled_queue;


--
-- Name: job_spec; Type: TYPE; Schema: asfiled_queue; Owner: -
--

CREATE TYPE asfiled_queue.job_spec AS (
	identifier text,
	payload json,
	queue_name text,
	run_at timestamp with time zone,
	max_attempts smallint,
	job_key text,
	priority smallint,
	flags text[]
);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: _private_jobs; Type: TABLE; Schema: asfiled_queue; Owner: -
--

CREATE TABLE asfiled_queue._private_jobs (
    id bigint NOT NULL,
    job_queue_id integer,
    task_id integer NOT NULL,
    payload json DEFAULT '{}'::json NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 25 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    key text,
    locked_at timestamp with time zone,
    locked_by text,
    revision integer DEFAULT 0 NOT NULL,
    flags jsonb,
    is_available boolean GENERATED ALWAYS AS (((locked_at IS NULL) AND (attempts < max_attempts))) STORED NOT NULL,
    CONSTRAINT jobs_key_check CHECK (((length(key) > 0) AND (length(key) <= 512))),
    CONSTRAINT jobs_max_attempts_check CHECK ((max_attempts >= 1))
);


--
-- Name: add_job(text, json, text, timestamp with time zone, integer, text, integer, text[], text); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.add_job(identifier text, payload json DEFAULT NULL::json, queue_name text DEFAULT NULL::text, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_attempts integer DEFAULT NULL::integer, job_key text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, flags text[] DEFAULT NULL::text[], job_key_mode text DEFAULT 'replace'::text) RETURNS asfiled_queue._private_jobs
    LANGUAGE plpgsql
    AS $$
declare
  v_job "asfiled_queue"._private_jobs;
begin
  if (job_key is null or job_key_mode is null or job_key_mode in ('replace', 'preserve_run_at')) then
    select * into v_job
    from "asfiled_queue".add_jobs(
      ARRAY[(
        identifier,
        payload,
        queue_name,
        run_at,
        max_attempts::smallint,
        job_key,
        priority::smallint,
        flags
      )::"asfiled_queue".job_spec],
      (job_key_mode = 'preserve_run_at')
    )
    limit 1;
    return v_job;
  elsif job_key_mode = 'unsafe_dedupe' then
    -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
    insert into "asfiled_queue"._private_tasks as tasks (identifier)
    select add_job.identifier
    where not exists (
      select 1
      from "asfiled_queue"._private_tasks as existing
      where existing.identifier = add_job.identifier
    )
    on conflict do nothing;
    -- Ensure all the queues exist
    if add_job.queue_name is not null then
      insert into "asfiled_queue"._private_job_queues as job_queues (queue_name)
      select add_job.queue_name
      where not exists (
        select 1
        from "asfiled_queue"._private_job_queues as existing
        where existing.queue_name = add_job.queue_name
      )
      on conflict do nothing;
    end if;
    -- Insert job, but if one already exists then do nothing, even if the
    -- existing job has already started (and thus represents an out-of-date
    -- world state). This is dangerous because it means that whatever state
    -- change triggered this add_job may not be acted upon (since it happened
    -- after the existing job started executing, but no further job is being
    -- scheduled), but it is useful in very rare circumstances for
    -- de-duplication. If in doubt, DO NOT USE THIS.
    insert into "asfiled_queue"._private_jobs as jobs (
      job_queue_id,
      task_id,
      payload,
      run_at,
      max_attempts,
      key,
      priority,
      flags
    )
      select
        job_queues.id,
        tasks.id,
        coalesce(add_job.payload, '{}'::json),
        coalesce(add_job.run_at, now()),
        coalesce(add_job.max_attempts::smallint, 25::smallint),
        add_job.job_key,
        coalesce(add_job.priority::smallint, 0::smallint),
        (
          select jsonb_object_agg(flag, true)
          from unnest(add_job.flags) as item(flag)
        )
      from "asfiled_queue"._private_tasks as tasks
      left join "asfiled_queue"._private_job_queues as job_queues
      on job_queues.queue_name = add_job.queue_name
      where tasks.identifier = add_job.identifier
    on conflict (key)
      -- Bump the updated_at so that there's something to return
      do update set
        revision = jobs.revision + 1,
        updated_at = now()
      returning *
      into v_job;
    if v_job.revision = 0 then
      perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":1}');
    end if;
    return v_job;
  else
    raise exception 'Invalid job_key_mode value, expected ''replace'', ''preserve_run_at'' or ''unsafe_dedupe''.' using errcode = 'GWBKM';
  end if;
end;
$$;


--
-- Name: add_jobs(asfiled_queue.job_spec[], boolean); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.add_jobs(specs asfiled_queue.job_spec[], job_key_preserve_run_at boolean DEFAULT false) RETURNS SETOF asfiled_queue._private_jobs
    LANGUAGE plpgsql
    AS $$
begin
  -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
  insert into "asfiled_queue"._private_tasks as tasks (identifier)
  select distinct spec.identifier
  from unnest(specs) spec
  where not exists (
    select 1
    from "asfiled_queue"._private_tasks as existing
    where existing.identifier = spec.identifier
  )
  on conflict do nothing;
  -- Ensure all the queues exist
  insert into "asfiled_queue"._private_job_queues as job_queues (queue_name)
  select distinct spec.queue_name
  from unnest(specs) spec
  where spec.queue_name is not null
  and not exists (
    select 1
    from "asfiled_queue"._private_job_queues as existing
    where existing.queue_name = spec.queue_name
  )
  on conflict do nothing;
  -- Ensure any locked jobs have their key cleared - in the case of locked
  -- existing job create a new job instead as it must have already started
  -- executing (i.e. it's world state is out of date, and the fact add_job
  -- has been called again implies there's new information that needs to be
  -- acted upon).
  update "asfiled_queue"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  from unnest(specs) spec
  where spec.job_key is not null
  and jobs.key = spec.job_key
  and is_available is not true;

  -- WARNING: this count is not 100% accurate; 'on conflict' clause will cause it to be an overestimate
  perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":' || array_length(specs, 1)::text || '}');

  -- TODO: is there a risk that a conflict could occur depending on the
  -- isolation level?
  return query insert into "asfiled_queue"._private_jobs as jobs (
    job_queue_id,
    task_id,
    payload,
    run_at,
    max_attempts,
    key,
    priority,
    flags
  )
    select
      job_queues.id,
      tasks.id,
      coalesce(spec.payload, '{}'::json),
      coalesce(spec.run_at, now()),
      coalesce(spec.max_attempts, 25),
      spec.job_key,
      coalesce(spec.priority, 0),
      (
        select jsonb_object_agg(flag, true)
        from unnest(spec.flags) as item(flag)
      )
    from unnest(specs) spec
    inner join "asfiled_queue"._private_tasks as tasks
    on tasks.identifier = spec.identifier
    left join "asfiled_queue"._private_job_queues as job_queues
    on job_queues.queue_name = spec.queue_name
  on conflict (key) do update set
    job_queue_id = excluded.job_queue_id,
    task_id = excluded.task_id,
    payload =
      case
      when json_typeof(jobs.payload) = 'array' and json_typeof(excluded.payload) = 'array' then
        (jobs.payload::jsonb || excluded.payload::jsonb)::json
      else
        excluded.payload
      end,
    max_attempts = excluded.max_attempts,
    run_at = (case
      when job_key_preserve_run_at is true and jobs.attempts = 0 then jobs.run_at
      else excluded.run_at
    end),
    priority = excluded.priority,
    revision = jobs.revision + 1,
    flags = excluded.flags,
    -- always reset error/retry state
    attempts = 0,
    last_error = null,
    updated_at = now()
  where jobs.locked_at is null
  returning *;
end;
$$;


--
-- Name: complete_jobs(bigint[]); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.complete_jobs(job_ids bigint[]) RETURNS SETOF asfiled_queue._private_jobs
    LANGUAGE sql
    AS $$
  delete from "asfiled_queue"._private_jobs as jobs
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < now() - interval '4 hours'
    )
    returning *;
$$;


--
-- Name: force_unlock_workers(text[]); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.force_unlock_workers(worker_ids text[]) RETURNS void
    LANGUAGE sql
    AS $$
update "asfiled_queue"._private_jobs as jobs
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
update "asfiled_queue"._private_job_queues as job_queues
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
$$;


--
-- Name: permanently_fail_jobs(bigint[], text); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.permanently_fail_jobs(job_ids bigint[], error_message text DEFAULT NULL::text) RETURNS SETOF asfiled_queue._private_jobs
    LANGUAGE sql
    AS $$
  update "asfiled_queue"._private_jobs as jobs
    set
      last_error = coalesce(error_message, 'Manually marked as failed'),
      attempts = max_attempts,
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;


--
-- Name: remove_job(text); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.remove_job(job_key text) RETURNS asfiled_queue._private_jobs
    LANGUAGE plpgsql STRICT
    AS $$
declare
  v_job "asfiled_queue"._private_jobs;
begin
  -- Delete job if not locked
  delete from "asfiled_queue"._private_jobs as jobs
    where key = job_key
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
  returning * into v_job;
  if not (v_job is null) then
    perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":-1}');
    return v_job;
  end if;
  -- Otherwise prevent job from retrying, and clear the key
  update "asfiled_queue"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  where key = job_key
  returning * into v_job;
  return v_job;
end;
$$;


--
-- Name: reschedule_jobs(bigint[], timestamp with time zone, integer, integer, integer); Type: FUNCTION; Schema: asfiled_queue; Owner: -
--

CREATE FUNCTION asfiled_queue.reschedule_jobs(job_ids bigint[], run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, priority integer DEFAULT NULL::integer, attempts integer DEFAULT NULL::integer, max_attempts integer DEFAULT NULL::integer) RETURNS SETOF asfiled_queue._private_jobs
    LANGUAGE sql
    AS $$
  update "asfiled_queue"._private_jobs as jobs
    set
      run_at = coalesce(reschedule_jobs.run_at, jobs.run_at),
      priority = coalesce(reschedule_jobs.priority::smallint, jobs.priority),
      attempts = coalesce(reschedule_jobs.attempts::smallint, jobs.attempts),
      max_attempts = coalesce(reschedule_jobs.max_attempts::smallint, jobs.max_attempts),
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;


--
-- Name: count_entities(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_entities() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into market_coverage as c (market, entities)
  select market, count(*) from added group by market order by market
  on conflict (market) do update set entities = c.entities + excluded.entities;
  return null;
end
$$;


--
-- Name: fact_as_of(date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fact_as_of(as_of date) RETURNS TABLE(entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer, period_start date, period_end date, filed date, accepted_at timestamp with time zone, value double precision, accession text, current boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > as_of
  from fact f left join filing l on l.filing_id = f.filing_id
  where f.filed <= as_of
$$;


--
-- Name: fact_change_days(integer, smallint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fact_change_days(of_entity integer, of_metric smallint) RETURNS TABLE(day date)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select f.filed from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0
  union
  select f.superseded from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0 and f.superseded < 'infinity'
$$;


--
-- Name: limit_counter; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.limit_counter (
    subject text NOT NULL,
    minute bigint NOT NULL,
    used integer NOT NULL,
    used_before integer NOT NULL,
    day integer NOT NULL,
    used_today integer NOT NULL,
    granted integer NOT NULL,
    at double precision NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');


--
-- Name: limit_step(public.limit_counter, integer, integer, integer, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.limit_step(state public.limit_counter, wanted integer, per_minute integer, per_day integer, clock double precision) RETURNS public.limit_counter
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  now_minute bigint := floor(clock / 60);
  elapsed double precision := clock - floor(clock / 60) * 60;
  now_day integer := floor(clock / 86400);
  room integer;
begin
  if now_minute = state.minute + 1 then
    state.used_before := state.used;
    state.used := 0;
  elsif now_minute > state.minute then
    state.used_before := 0;
    state.used := 0;
  elsif now_minute < state.minute then
    -- The clock was set back: nothing is forgotten, the minute just lasts longer.
    now_minute := state.minute;
    elapsed := 0;
  end if;
  if now_day > state.day then
    state.used_today := 0;
  end if;
  state.minute := now_minute;
  state.day := greatest(now_day, state.day);
  room := floor(per_minute - state.used - state.used_before * (60 - elapsed) / 60 + 1e-9);
  if per_day is not null then
    room := least(room, per_day - state.used_today);
  end if;
  state.granted := greatest(0, least(wanted, room));
  state.used := state.used + state.granted;
  state.used_today := state.used_today + state.granted;
  state.at := clock;
  return state;
end
$$;


--
-- Name: narrow_filings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.narrow_filings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform recount_filings(market) from (
    select distinct e.market from gone g join entity e on e.entity_id = g.entity_id join market_coverage c on c.market = e.market
    where g.filed in (c.first_filed, c.last_filed)
  ) narrower;
  return null;
end
$$;


--
-- Name: narrow_moved_filings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.narrow_moved_filings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform recount_filings(market) from (
    select distinct e.market
    from gone g join added a on a.filing_id = g.filing_id and a.filed <> g.filed
    join entity e on e.entity_id = g.entity_id join market_coverage c on c.market = e.market
    where g.filed < 'infinity' and g.filed in (c.first_filed, c.last_filed)
  ) narrower;
  return null;
end
$$;


--
-- Name: record_entities(integer, integer[], integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_entities(of_key integer, of_entities integer[], cap integer) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  unseen integer[];
begin
  select array_agg(distinct e) into unseen
  from unnest(of_entities) e
  where not exists (select 1 from key_entity k where k.key_id = of_key and k.entity_id = e);
  if unseen is null then
    return true;
  end if;
  -- The key's row is locked, so parallel requests on any number of servers cannot pass the cap together. Each
  -- statement below sees what those before it have recorded.
  perform 1 from api_key where key_id = of_key for update;
  select array_agg(e) into unseen
  from unnest(unseen) e
  where not exists (select 1 from key_entity k where k.key_id = of_key and k.entity_id = e);
  if unseen is null then
    return true;
  end if;
  if (select count(*) from key_entity where key_id = of_key) + cardinality(unseen) > cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id) select of_key, e from unnest(unseen) e;
  return true;
end
$$;


--
-- Name: record_entity(integer, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_entity(of_key integer, of_entity integer, cap integer) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  perform 1 from key_entity where key_id = of_key and entity_id = of_entity;
  if found then
    return true;
  end if;
  perform 1 from api_key where key_id = of_key for update;
  perform 1 from key_entity where key_id = of_key and entity_id = of_entity;
  if found then
    return true;
  end if;
  if (select count(*) from key_entity where key_id = of_key) >= cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id) values (of_key, of_entity);
  return true;
end
$$;


--
-- Name: recount_filings(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recount_filings(gone_market text) RETURNS void
    LANGUAGE sql
    AS $$
  update market_coverage c
  set (first_filed, last_filed) = (
    select min(f.filed), max(f.filed) from filing f join entity e on e.entity_id = f.entity_id where e.market = gone_market
  )
  where c.market = gone_market
$$;


--
-- Name: search_by_word(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_by_word(market text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (market = ANY (ARRAY['FR'::text, 'BE'::text, 'DK'::text]));


--
-- Name: search_spaced(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_spaced(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((' '::text || btrim(regexp_replace(folded, '[^[:alnum:]]+'::text, ' '::text, 'g'::text))) || ' '::text);


--
-- Name: search_words(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_words(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN string_to_array(btrim(public.search_spaced(folded)), ' '::text);


--
-- Name: search_probe(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_probe(folded text, OUT prefix text, OUT words text[], OUT grams text[], OUT patterns text[]) RETURNS record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT ROW(('n'::text || "left"(folded, (SELECT max(size.size) AS max FROM unnest(ARRAY[1, 2, 3, 4, 6, 9]) size(size) WHERE (size.size <= char_length(search_probe.folded))))), (SELECT array_agg(DISTINCT CASE WHEN (char_length(word.word) < 4) THEN ('w'::text || word.word) ELSE ('p'::text || "left"(word.word, (SELECT max(size.size) AS max FROM unnest(ARRAY[4, 6, 9]) size(size) WHERE (size.size <= char_length(word.word))))) END) AS array_agg FROM unnest(public.search_words(search_probe.folded)) word(word)), (SELECT array_agg(DISTINCT ('g'::text || substr(search_probe.folded, start.start, LEAST(3, char_length(search_probe.folded))))) AS array_agg FROM generate_series(1, GREATEST(1, (char_length(search_probe.folded) - 2))) start(start)), (SELECT array_agg(DISTINCT CASE WHEN (char_length(word.word) < 4) THEN (('% '::text || word.word) || ' %'::text) ELSE (('% '::text || word.word) || '%'::text) END) AS array_agg FROM unnest(public.search_words(search_probe.folded)) word(word))) AS "row");


--
-- Name: search_terms_of(integer, text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_terms_of(length integer, folded text, words text[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  terms text[] := '{}';
  word text;
  size integer;
begin
  if folded is null or folded = '' then return terms; end if;
  foreach size in array array[1, 2, 3, 4, 6, 9] loop
    exit when size > char_length(folded);
    terms := terms || ('n' || left(folded, size));
  end loop;
  foreach size in array array[40, 32, 28, 24, 20, 18, 16, 14, 12, 10, 8, 6, 4] loop
    exit when size < length;
    terms := terms || ('l' || size);
  end loop;
  if words is not null then
    foreach word in array words loop
      if char_length(word) < 4 then
        terms := terms || ('w' || word);
        continue;
      end if;
      foreach size in array array[4, 6, 9] loop
        exit when size > char_length(word);
        terms := terms || ('p' || left(word, size));
      end loop;
    end loop;
  else
    for start in 1..char_length(folded) loop
      terms := terms || array['g' || substr(folded, start, 1), 'g' || substr(folded, start, 2),
                              'g' || substr(folded, start, 3)];
    end loop;
  end if;
  return terms;
end
$$;


--
-- Name: search_terms(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_terms(market text, name text, folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.search_terms_of(char_length(name), folded, CASE WHEN public.search_by_word(market) THEN public.search_words(folded) ELSE NULL::text[] END);


--
-- Name: search_text(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_text(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN (octet_length($1) = char_length($1)) THEN btrim(regexp_replace(lower($1), '\s+'::text, ' '::text, 'g'::text)) ELSE btrim(regexp_replace(replace(replace(replace(replace(translate(NORMALIZE(regexp_replace(NORMALIZE(lower(NORMALIZE($1, NFKC)), NFKD), '[̀-ͯ᪰-᫿᷀-᷿⃐-⃿︠-︯]'::text, ''::text, 'g'::text), NFC), 'øłđħŧıĸðςŋɨʉɓɗƒǥȼ'::text, 'oldhtikdσniubdfgc'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'þ'::text, 'th'::text), '\s+'::text, ' '::text, 'g'::text)) END;


--
-- Name: span_filings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.span_filings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update market_coverage c
  set first_filed = least(c.first_filed, s.first_filed), last_filed = greatest(c.last_filed, s.last_filed)
  from (
    select e.market, min(a.filed) as first_filed, max(a.filed) as last_filed
    from added a join entity e on e.entity_id = a.entity_id
    group by e.market
  ) s
  where c.market = s.market
    and (c.first_filed is null or s.first_filed < c.first_filed or s.last_filed > c.last_filed);
  return null;
end
$$;


--
-- Name: take_hits(text[], integer[], integer[], integer[], double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_hits(subjects text[], wanted integer[], per_minute integer[], per_day integer[], clock double precision DEFAULT NULL::double precision) RETURNS SETOF public.limit_counter
    LANGUAGE plpgsql
    AS $$
declare
  empty limit_counter := row('', 0, 0, 0, 0, 0, 0, 0);
begin
  -- A crash of PostgreSQL may forget the hits of its last half second, never more, and never corrupts: worth
  -- it, since otherwise every request would wait for a disk. The death of one of our servers forgets nothing.
  perform set_config('synchronous_commit', 'off', true);
  for i in 1 .. cardinality(subjects) loop
    empty.subject := subjects[i];
    return query
      insert into limit_counter as c
      select * from limit_step(
        empty, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp())))
      on conflict (subject) do update set (minute, used, used_before, day, used_today, granted, at) = (
        select s.minute, s.used, s.used_before, s.day, s.used_today, s.granted, s.at
        from limit_step(
          c, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp()))) s)
      returning c.*;
  end loop;
end
$$;


--
-- Name: tell_access(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tell_access() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('asfiled_access', '');
  return null;
end
$$;


--
-- Name: _private_job_queues; Type: TABLE; Schema: asfiled_queue; Owner: -
--

CREATE TABLE asfiled_queue._private_job_queues (
    id integer NOT NULL,
    queue_name text NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    is_available boolean GENERATED ALWAYS AS ((locked_at IS NULL)) STORED NOT NULL,
    CONSTRAINT job_queues_queue_name_check CHECK ((length(queue_name) <= 128))
);


--
-- Name: _private_known_crontabs; Type: TABLE; Schema: asfiled_queue; Owner: -
--

CREATE TABLE asfiled_queue._private_known_crontabs (
    identifier text NOT NULL,
    known_since timestamp with time zone NOT NULL,
    last_execution timestamp with time zone
);


--
-- Name: _private_tasks; Type: TABLE; Schema: asfiled_queue; Owner: -
--

CREATE TABLE asfiled_queue._private_tasks (
    id integer NOT NULL,
    identifier text NOT NULL,
    CONSTRAINT tasks_identifier_check CHECK ((length(identifier) <= 128))
);


--
-- Name: job_queues_id_seq; Type: SEQUENCE; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_job_queues ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME asfiled_queue.job_queues_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: jobs; Type: VIEW; Schema: asfiled_queue; Owner: -
--

CREATE VIEW asfiled_queue.jobs AS
 SELECT jobs.id,
    job_queues.queue_name,
    tasks.identifier AS task_identifier,
    jobs.priority,
    jobs.run_at,
    jobs.attempts,
    jobs.max_attempts,
    jobs.last_error,
    jobs.created_at,
    jobs.updated_at,
    jobs.key,
    jobs.locked_at,
    jobs.locked_by,
    jobs.revision,
    jobs.flags
   FROM ((asfiled_queue._private_jobs jobs
     JOIN asfiled_queue._private_tasks tasks ON ((tasks.id = jobs.task_id)))
     LEFT JOIN asfiled_queue._private_job_queues job_queues ON ((job_queues.id = jobs.job_queue_id)));


--
-- Name: jobs_id_seq1; Type: SEQUENCE; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME asfiled_queue.jobs_id_seq1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: migrations; Type: TABLE; Schema: asfiled_queue; Owner: -
--

CREATE TABLE asfiled_queue.migrations (
    id integer NOT NULL,
    ts timestamp with time zone DEFAULT now() NOT NULL,
    breaking boolean DEFAULT false NOT NULL
);


--
-- Name: tasks_id_seq; Type: SEQUENCE; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_tasks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME asfiled_queue.tasks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: api_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key (
    key_id integer NOT NULL,
    digest bytea NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT api_key_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT api_key_last_four_check CHECK ((length(last_four) = 4))
);


--
-- Name: api_key_key_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.api_key ALTER COLUMN key_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_key_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: backtest_job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.backtest_job (
    job_id uuid NOT NULL,
    key_id integer NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    request_id text NOT NULL,
    body_format text NOT NULL,
    body_query json NOT NULL,
    body_bytes bigint NOT NULL,
    submitted_data_version bigint NOT NULL,
    data_version bigint,
    fingerprint text,
    round integer DEFAULT 0 NOT NULL,
    trials_done integer DEFAULT 0 NOT NULL,
    trials_total integer,
    shares_left integer,
    error_code text,
    error_message text,
    error_param text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT backtest_job_check CHECK (((state = ANY (ARRAY['queued'::text, 'running'::text])) = (finished_at IS NULL))),
    CONSTRAINT backtest_job_check1 CHECK (((state = 'failed'::text) = (error_code IS NOT NULL))),
    CONSTRAINT backtest_job_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);


--
-- Name: data_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.data_version (
    only_row boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT data_version_only_row_check CHECK (only_row)
);


--
-- Name: entity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.entity (
    entity_id integer NOT NULL,
    market text NOT NULL,
    issuer_id text NOT NULL,
    ticker text NOT NULL,
    name text,
    fiscal_year_end text,
    search_name text GENERATED ALWAYS AS (public.search_text(name)) STORED,
    CONSTRAINT entity_fiscal_year_end_check CHECK ((fiscal_year_end ~ '^(0[1-9]|1[0-2])([0-2][0-9]|3[01])$'::text)),
    CONSTRAINT entity_market_check CHECK ((market ~ '^[A-Z]{2}$'::text))
);


--
-- Name: entity_entity_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.entity ALTER COLUMN entity_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.entity_entity_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: entity_other_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.entity_other_name (
    entity_id integer NOT NULL,
    market text NOT NULL,
    name text NOT NULL,
    place bigint NOT NULL,
    search_name text GENERATED ALWAYS AS (public.search_text(name)) STORED
);


--
-- Name: entity_other_name_place_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.entity_other_name ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.entity_other_name_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: entity_ticker; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.entity_ticker (
    ticker text NOT NULL,
    entity_id integer NOT NULL
);


--
-- Name: fact; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact (
    value double precision NOT NULL,
    entity_id integer NOT NULL,
    filing_id integer NOT NULL,
    period_end date NOT NULL,
    filed date NOT NULL,
    superseded date DEFAULT 'infinity'::date NOT NULL,
    period_start date,
    tag_id integer,
    metric_id smallint NOT NULL,
    fy smallint NOT NULL,
    unit_id smallint NOT NULL,
    fp smallint NOT NULL,
    period_rounded boolean DEFAULT false NOT NULL,
    CONSTRAINT fact_check1 CHECK ((superseded >= filed)),
    CONSTRAINT fact_fp_check1 CHECK (((fp >= 0) AND (fp <= 4)))
);


--
-- Name: fact_repeat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact_repeat (
    value double precision NOT NULL,
    entity_id integer NOT NULL,
    filing_id integer NOT NULL,
    period_end date NOT NULL,
    filed date NOT NULL,
    period_start date,
    tag_id integer,
    metric_id smallint NOT NULL,
    fy smallint NOT NULL,
    unit_id smallint NOT NULL,
    fp smallint NOT NULL,
    period_rounded boolean DEFAULT false NOT NULL
);


--
-- Name: filing; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.filing (
    accession text NOT NULL,
    entity_id integer NOT NULL,
    form text NOT NULL,
    filed date NOT NULL,
    accepted_at timestamp with time zone,
    filing_id integer NOT NULL
);


--
-- Name: filing_filing_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.filing ALTER COLUMN filing_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.filing_filing_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: idempotency_claim; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_claim (
    key_id integer NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    process_id uuid NOT NULL,
    claimed_at timestamp with time zone DEFAULT now() NOT NULL,
    job_id uuid,
    answer bytea,
    CONSTRAINT idempotency_claim_digest_check CHECK ((octet_length(digest) = 32))
);
ALTER TABLE ONLY public.idempotency_claim ALTER COLUMN answer SET STORAGE EXTERNAL;


--
-- Name: import_batch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.import_batch (
    version bigint NOT NULL,
    source text NOT NULL,
    entities integer NOT NULL,
    facts_added integer NOT NULL,
    committed_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: import_file; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.import_file (
    content_key text NOT NULL,
    name text NOT NULL,
    imported_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: job_body; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_body (
    job_id uuid NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.job_body ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: job_process; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_process (
    process_id uuid NOT NULL,
    locks text[] NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: job_result; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_result (
    job_id uuid NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.job_result ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: job_share; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_share (
    job_id uuid NOT NULL,
    round integer NOT NULL,
    place integer NOT NULL,
    configs integer[] NOT NULL,
    series bytea NOT NULL,
    process_id uuid NOT NULL
);
ALTER TABLE ONLY public.job_share ALTER COLUMN series SET STORAGE EXTERNAL;


--
-- Name: key_entity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_entity (
    key_id integer NOT NULL,
    entity_id integer NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: key_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_grant (
    grant_id integer NOT NULL,
    key_id integer NOT NULL,
    licence text NOT NULL,
    quant boolean NOT NULL,
    per_minute integer NOT NULL,
    per_day integer,
    entity_cap integer,
    bulk boolean NOT NULL,
    evaluation_domain text,
    granted_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT key_grant_check CHECK (((licence = 'evaluation'::text) = (evaluation_domain IS NOT NULL))),
    CONSTRAINT key_grant_entity_cap_check CHECK ((entity_cap > 0)),
    CONSTRAINT key_grant_licence_check CHECK ((licence = ANY (ARRAY['free'::text, 'evaluation'::text, 'personal'::text, 'commercial'::text, 'redistribution'::text, 'oem'::text]))),
    CONSTRAINT key_grant_per_day_check CHECK ((per_day > 0)),
    CONSTRAINT key_grant_per_minute_check CHECK ((per_minute > 0))
);


--
-- Name: key_grant_grant_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.key_grant ALTER COLUMN grant_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.key_grant_grant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: market_coverage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.market_coverage (
    market text NOT NULL,
    entities bigint DEFAULT 0 NOT NULL,
    first_filed date,
    last_filed date
);


--
-- Name: metric; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metric (
    metric_id smallint NOT NULL,
    name text NOT NULL
);


--
-- Name: metric_metric_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.metric ALTER COLUMN metric_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.metric_metric_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: panel; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.panel (
    panel_id uuid DEFAULT gen_random_uuid() NOT NULL,
    key_id integer NOT NULL,
    content bytea NOT NULL,
    row_count integer NOT NULL,
    date_count integer NOT NULL,
    asset_count integer NOT NULL,
    packed_bytes bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT panel_asset_count_check CHECK ((asset_count > 0)),
    CONSTRAINT panel_content_check CHECK ((octet_length(content) = 32)),
    CONSTRAINT panel_date_count_check CHECK ((date_count > 0)),
    CONSTRAINT panel_packed_bytes_check CHECK ((packed_bytes > 0)),
    CONSTRAINT panel_row_count_check CHECK ((row_count > 0))
);


--
-- Name: panel_part; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.panel_part (
    panel_id uuid NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.panel_part ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: pulled_filing; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pulled_filing (
    entity_id integer NOT NULL,
    accession text NOT NULL,
    form text NOT NULL,
    filed date NOT NULL,
    accepted_at timestamp with time zone,
    days date[] NOT NULL,
    figures json NOT NULL
);


--
-- Name: sample_load; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sample_load (
    only_row boolean DEFAULT true NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT sample_load_only_row_check CHECK (only_row)
);


--
-- Name: signal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signal (
    date date NOT NULL,
    horizon smallint NOT NULL,
    ticker text NOT NULL COLLATE pg_catalog."C",
    market text NOT NULL COLLATE pg_catalog."C",
    predicted double precision NOT NULL,
    actual double precision,
    status text GENERATED ALWAYS AS (
CASE
    WHEN (actual IS NULL) THEN NULL::text
    WHEN ((predicted = (0)::double precision) OR (actual = (0)::double precision)) THEN 'flat'::text
    WHEN ((predicted > (0)::double precision) = (actual > (0)::double precision)) THEN 'won'::text
    ELSE 'lost'::text
END) STORED,
    source text NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp with time zone,
    CONSTRAINT signal_actual_check CHECK ((abs(actual) < 'Infinity'::double precision)),
    CONSTRAINT signal_check CHECK (((actual IS NULL) = (resolved_at IS NULL))),
    CONSTRAINT signal_date_check CHECK (isfinite(date)),
    CONSTRAINT signal_horizon_check CHECK ((horizon = ANY (ARRAY[1, 3, 7]))),
    CONSTRAINT signal_market_check CHECK ((market ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT signal_predicted_check CHECK ((abs(predicted) < 'Infinity'::double precision)),
    CONSTRAINT signal_source_check CHECK ((source = ANY (ARRAY['live'::text, 'backfill'::text]))),
    CONSTRAINT signal_ticker_check CHECK ((ticker ~ '^[A-Z0-9^][A-Z0-9.^=_:/&-]{0,31}$'::text))
);


--
-- Name: signal_correction; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signal_correction (
    correction_id bigint NOT NULL,
    date date NOT NULL,
    horizon smallint NOT NULL,
    ticker text NOT NULL COLLATE pg_catalog."C",
    market text NOT NULL COLLATE pg_catalog."C",
    old_predicted double precision NOT NULL,
    new_predicted double precision NOT NULL,
    old_actual double precision,
    new_actual double precision NOT NULL,
    old_source text NOT NULL,
    new_source text NOT NULL,
    old_recorded_at timestamp with time zone NOT NULL,
    old_resolved_at timestamp with time zone,
    corrected_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: signal_correction_correction_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.signal_correction ALTER COLUMN correction_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.signal_correction_correction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: sync_cursor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sync_cursor (
    market text NOT NULL,
    name text NOT NULL,
    "position" text NOT NULL
);


--
-- Name: sync_document; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sync_document (
    market text NOT NULL,
    key text NOT NULL,
    revision text,
    missing boolean NOT NULL,
    etag text,
    last_modified text,
    digest text,
    path text,
    confirmed_on date NOT NULL
);


--
-- Name: sync_file; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sync_file (
    path text NOT NULL,
    market text NOT NULL,
    pulled_on date NOT NULL,
    bytes bigint NOT NULL,
    subject text,
    imported_at timestamp with time zone
);


--
-- Name: tag; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tag (
    tag_id integer NOT NULL,
    name text NOT NULL
);


--
-- Name: tag_tag_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.tag ALTER COLUMN tag_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.tag_tag_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: unit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unit (
    unit_id smallint NOT NULL,
    name text NOT NULL
);


--
-- Name: unit_unit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.unit ALTER COLUMN unit_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.unit_unit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Data for Name: _private_job_queues; Type: TABLE DATA; Schema: asfiled_queue; Owner: -
--

INSERT INTO asfiled_queue._private_job_queues OVERRIDING SYSTEM VALUE VALUES
	(1, 'state', NULL, NULL, DEFAULT);


--
-- Data for Name: _private_jobs; Type: TABLE DATA; Schema: asfiled_queue; Owner: -
--

INSERT INTO asfiled_queue._private_jobs OVERRIDING SYSTEM VALUE VALUES
	(1, NULL, 1, '{"jobId":"01a2016c-14ae-7650-a895-d8a9a91a5865","round":0}', 0, '2026-11-22 04:03:10.134364+00', 0, 4, NULL, '2026-11-22 04:03:10.134364+00', '2026-11-22 04:03:10.134364+00', '01a2016c-14ae-7650-a895-d8a9a91a5865/start/0', NULL, NULL, 0, NULL, DEFAULT);


--
-- Data for Name: _private_known_crontabs; Type: TABLE DATA; Schema: asfiled_queue; Owner: -
--

INSERT INTO asfiled_queue._private_known_crontabs VALUES
	('state', '2026-11-22 04:03:10.38532+00', '2026-11-22 04:03:10.38532+00');


--
-- Data for Name: _private_tasks; Type: TABLE DATA; Schema: asfiled_queue; Owner: -
--

INSERT INTO asfiled_queue._private_tasks OVERRIDING SYSTEM VALUE VALUES
	(1, 'backtest_start');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: asfiled_queue; Owner: -
--

INSERT INTO asfiled_queue.migrations VALUES
	(1, '2026-11-22 04:03:05.261328+00', true),
	(2, '2026-11-22 04:03:05.272561+00', false),
	(3, '2026-11-22 04:03:05.277668+00', true),
	(4, '2026-11-22 04:03:05.2816+00', false),
	(5, '2026-11-22 04:03:05.28418+00', false),
	(6, '2026-11-22 04:03:05.286945+00', false),
	(7, '2026-11-22 04:03:05.290283+00', false),
	(8, '2026-11-22 04:03:05.292526+00', false),
	(9, '2026-11-22 04:03:05.296039+00', false),
	(10, '2026-11-22 04:03:05.298219+00', false),
	(11, '2026-11-22 04:03:05.299473+00', true),
	(12, '2026-11-22 04:03:05.322375+00', false),
	(13, '2026-11-22 04:03:05.323885+00', true),
	(14, '2026-11-22 04:03:05.325891+00', true),
	(15, '2026-11-22 04:03:05.327407+00', false),
	(16, '2026-11-22 04:03:05.328874+00', true),
	(17, '2026-11-22 04:03:05.331729+00', false),
	(18, '2026-11-22 04:03:05.333991+00', false),
	(19, '2026-11-22 04:03:05.336001+00', true),
	(20, '2026-11-22 04:03:05.337869+00', false);


--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_key OVERRIDING SYSTEM VALUE VALUES
	(1, '\xe73c384ec746dcaca605662724746f53dc8ee3093e318f6e0a43f608b69da0f8', 'asf_test_A2Lb4CU4', '2OgA', 'ana@fund.example', '2026-11-22 04:03:09.154093+00', NULL),
	(2, '\xd9eaa0d89c0dcf7e12e38ec2347b36dc03fd390d3fd2edc89c75d8b25d9d7c05', 'asf_test_DMD8NU2a', 'skYZ', 'bo@fund.example', '2026-11-22 04:03:09.158123+00', NULL);


--
-- Data for Name: backtest_job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.backtest_job VALUES
	('01a2016c-14ae-7650-a895-d8a9a91a5865', 1, 'queued', '9a7c5a7f8df04693-4', 'json', '{}', 1592, 11, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '2026-11-22 04:03:10.134364+00', NULL, NULL),
	('01900000-0000-7000-8000-000000000000', 1, 'succeeded', 'state', 'json', '{}', 2, 1, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '2026-11-22 04:03:10.38532+00', NULL, '2026-11-22 04:03:10.38532+00');


--
-- Data for Name: data_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.data_version VALUES
	(true, 11, '2026-11-22 04:03:08.78793+00');


--
-- Data for Name: entity; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.entity VALUES
	(1, 'BE', '0410682657', '0410682657.BE', 'Xerius Sociaal Verzekeringsfonds', NULL, DEFAULT),
	(2, 'DK', '65305216', '65305216.DK', 'IBM Danmark ApS', NULL, DEFAULT),
	(3, 'FR', '483935326', '483935326.FR', 'SELARL UCI VISTA', NULL, DEFAULT),
	(4, 'JP', 'E02367', 'E02367.JP', '任天堂株式会社', '0331', DEFAULT),
	(5, 'KR', '00126380', '005930.KS', '삼성전자', NULL, DEFAULT),
	(6, 'NZ', 'CC40675', 'CC40675.NZ', 'St John Of God Health Care Incorporated', NULL, DEFAULT),
	(7, 'TW', '2330', '2330.TW', '台積電', NULL, DEFAULT),
	(8, 'US', '0000320193', 'AAPL', 'Apple Inc.', '0926', DEFAULT),
	(9, 'US', '0001640147', 'SNOW', 'Snowflake Inc.', NULL, DEFAULT),
	(10, 'US', '0001652044', 'GOOGL', 'Alphabet Inc.', NULL, DEFAULT),
	(11, 'US', '0001997711', 'LPA', 'Logistic Properties of the Americas', NULL, DEFAULT);


--
-- Data for Name: entity_other_name; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.entity_other_name OVERRIDING SYSTEM VALUE VALUES
	(4, 'JP', 'Nintendo Co., Ltd.', 1, DEFAULT),
	(4, 'JP', 'ニンテンドウカブシキガイシャ', 2, DEFAULT),
	(5, 'KR', 'SAMSUNG ELECTRONICS CO,.LTD', 3, DEFAULT);


--
-- Data for Name: entity_ticker; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.entity_ticker VALUES
	('0410682657.BE', 1),
	('65305216.DK', 2),
	('483935326.FR', 3),
	('E02367.JP', 4),
	('005930.KS', 5),
	('005930.KQ', 5),
	('CC40675.NZ', 6),
	('2330.TW', 7),
	('AAPL', 8),
	('SNOW', 9),
	('GOOGL', 10),
	('GOOG', 10),
	('LPA', 11);


--
-- Data for Name: fact; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact VALUES
	(3778441, 3, 1, '2014-12-31', '2017-02-18', 'infinity', NULL, 3, 2, 2014, 1, 0, false),
	(873683, 3, 1, '2014-12-31', '2017-02-18', 'infinity', NULL, 1, 3, 2014, 1, 0, false),
	(1348215, 3, 1, '2014-12-31', '2017-02-18', 'infinity', NULL, 2, 4, 2014, 1, 0, false),
	(1.1911137424138685, 3, 1, '2014-12-31', '2017-02-18', 'infinity', '2014-01-01', NULL, 1, 2014, 2, 0, false),
	(258641000000, 4, 2, '2020-03-31', '2024-06-28', 'infinity', '2019-04-01', 13, 8, 2020, 3, 0, false),
	(1934087000000, 4, 2, '2020-03-31', '2024-06-28', 'infinity', NULL, 14, 2, 2020, 3, 0, false),
	(1540900000000, 4, 2, '2020-03-31', '2024-06-28', 'infinity', NULL, 10, 6, 2020, 3, 0, false),
	(0.6765564320529531, 4, 2, '2020-03-31', '2024-06-28', 'infinity', '2019-04-01', NULL, 1, 2020, 2, 0, false),
	(378235718000000, 5, 6, '2020-12-31', '2023-03-07', 'infinity', NULL, 27, 2, 2020, 5, 0, false),
	(29382578000000, 5, 6, '2020-12-31', '2023-03-07', 'infinity', NULL, 28, 3, 2020, 5, 0, false),
	(198215579000000, 5, 6, '2020-12-31', '2023-03-07', 'infinity', NULL, 30, 4, 2020, 5, 0, false),
	(0.6260830924487147, 5, 6, '2020-12-31', '2023-03-07', 'infinity', '2020-01-01', NULL, 1, 2020, 2, 0, false),
	(206949036000, 7, 17, '2023-03-31', '2023-05-15', 'infinity', '2023-01-01', 45, 8, 2023, 7, 1, false),
	(231238157000, 7, 17, '2023-03-31', '2023-05-15', 'infinity', '2023-01-01', 50, 10, 2023, 7, 1, false),
	(0.4068730243330096, 7, 17, '2023-03-31', '2023-05-15', 'infinity', '2023-01-01', NULL, 9, 2023, 2, 1, false),
	(0.45462675303199424, 7, 17, '2023-03-31', '2023-05-15', 'infinity', '2023-01-01', NULL, 11, 2023, 2, 1, false),
	(1771593000, 6, 15, '2024-06-30', '2025-01-03', 'infinity', NULL, 39, 2, 2024, 6, 0, false),
	(33834000, 6, 15, '2024-06-30', '2025-01-03', 'infinity', NULL, 37, 3, 2024, 6, 0, false),
	(1.1833259670816039, 6, 15, '2024-06-30', '2025-01-03', 'infinity', '2023-07-01', NULL, 1, 2024, 2, 0, false),
	(1.6655407235325626, 6, 15, '2024-06-30', '2025-01-03', 'infinity', NULL, NULL, 5, 2024, 2, 0, false),
	(9352000000, 8, 27, '2007-09-29', '2009-07-22', 'infinity', NULL, 92, 3, 2007, 9, 0, false),
	(6392000000, 8, 28, '2006-09-30', '2009-10-27', 'infinity', NULL, 92, 3, 2006, 9, 0, false),
	(9984000000, 8, 28, '2006-09-30', '2009-10-27', 'infinity', NULL, 140, 6, 2006, 9, 0, false),
	(14532000000, 8, 28, '2007-09-29', '2009-10-27', '2010-01-25', NULL, 140, 6, 2007, 9, 0, false),
	(0.68, 8, 75, '2018-09-29', '2020-10-30', 'infinity', '2017-10-01', 93, 36, 2018, 10, 0, false),
	(3, 8, 75, '2018-09-29', '2020-10-30', 'infinity', '2017-10-01', 100, 17, 2018, 10, 0, false),
	(2.98, 8, 75, '2018-09-29', '2020-10-30', 'infinity', '2017-10-01', 102, 38, 2018, 10, 0, false),
	(19821510000, 8, 75, '2018-09-29', '2020-10-30', 'infinity', '2017-10-01', 143, 65, 2018, 11, 0, false),
	(-312467000, 9, 97, '2019-01-31', '2020-12-03', 'infinity', NULL, 140, 6, 2019, 9, 0, false),
	(-178028000, 9, 98, '2019-01-31', '2021-03-31', 'infinity', '2018-02-01', 123, 8, 2019, 9, 0, false),
	(-131892000, 9, 98, '2018-01-31', '2021-03-31', 'infinity', NULL, 140, 6, 2018, 9, 0, false),
	(116541000, 9, 98, '2019-01-31', '2021-03-31', 'infinity', NULL, 92, 3, 2019, 9, 0, false),
	(14778000000, 10, 117, '2012-12-31', '2016-02-11', 'infinity', NULL, 92, 3, 2012, 9, 0, false),
	(71570000000, 10, 117, '2012-12-31', '2016-02-11', 'infinity', NULL, 140, 6, 2012, 9, 0, false),
	(18898000000, 10, 117, '2013-12-31', '2016-02-11', 'infinity', NULL, 92, 3, 2013, 9, 0, false),
	(86977000000, 10, 117, '2013-12-31', '2016-02-11', 'infinity', NULL, 140, 6, 2013, 9, 0, false),
	(26178000000, 10, 134, '2017-12-31', '2020-02-04', 'infinity', '2017-01-01', 125, 10, 2017, 9, 0, false),
	(7696000000, 10, 134, '2017-12-31', '2020-02-04', 'infinity', '2017-10-01', NULL, 10, 2017, 9, 4, false),
	(0.23614631726128726, 10, 134, '2017-12-31', '2020-02-04', 'infinity', '2017-01-01', NULL, 11, 2017, 2, 0, false),
	(0.23809671132011262, 10, 134, '2017-12-31', '2020-02-04', 'infinity', '2017-10-01', NULL, 11, 2017, 2, 4, false),
	(15458803, 11, 161, '2020-12-31', '2024-04-26', 'infinity', NULL, 61, 3, 2020, 9, 0, false),
	(238320832, 11, 161, '2020-12-31', '2024-04-26', 'infinity', NULL, 68, 6, 2020, 9, 0, false),
	(17360353, 11, 161, '2021-12-31', '2024-04-26', 'infinity', NULL, 61, 3, 2021, 9, 0, false),
	(237526772, 11, 161, '2021-12-31', '2024-04-26', 'infinity', NULL, 68, 6, 2021, 9, 0, false);


--
-- Data for Name: fact_repeat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact_repeat VALUES
	(426621158000000, 5, 4, '2021-12-31', '2022-08-16', NULL, 27, 2, 2021, 5, 0, false),
	(426621158000000, 5, 5, '2021-12-31', '2022-11-14', NULL, 27, 2, 2021, 5, 0, false),
	(39031415000000, 5, 5, '2021-12-31', '2022-11-14', NULL, 28, 3, 2021, 5, 0, false),
	(426621158000000, 5, 6, '2021-12-31', '2023-03-07', NULL, 27, 2, 2021, 5, 0, false),
	(39031415000000, 5, 6, '2021-12-31', '2023-03-07', NULL, 28, 3, 2021, 5, 0, false),
	(426621158000000, 5, 10, '2021-12-31', '2024-03-12', NULL, 27, 2, 2021, 5, 0, false);


--
-- Data for Name: filing; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.filing VALUES
	('FR:1303-2013D00195-2017-1048-20151231', 3, 'annual accounts (C)', '2017-02-18', NULL, 1),
	('JP:S100TMMG', 4, '120', '2024-06-28', '2024-06-28 03:22:00+00', 2),
	('KR:20220816001711', 5, '11012', '2022-08-16', NULL, 4),
	('KR:20221114001832', 5, '11014', '2022-11-14', NULL, 5),
	('KR:20230307000542', 5, '11011', '2023-03-07', NULL, 6),
	('KR:20240312000736', 5, '11011', '2024-03-12', NULL, 10),
	('NZ:000395815', 6, 'annual return', '2025-01-03', NULL, 15),
	('TW:2330:2023Q1', 7, 'Q1', '2023-05-15', NULL, 17),
	('0001193125-09-153165', 8, '10-Q', '2009-07-22', NULL, 27),
	('0001193125-09-214859', 8, '10-K', '2009-10-27', NULL, 28),
	('0000320193-20-000096', 8, '10-K', '2020-10-30', '2020-10-29 18:06:25+00', 75),
	('0001640147-20-000023', 9, '10-Q', '2020-12-03', NULL, 97),
	('0001640147-21-000073', 9, '10-K', '2021-03-31', NULL, 98),
	('0001652044-16-000012', 10, '10-K', '2016-02-11', NULL, 117),
	('0001652044-20-000008', 10, '10-K', '2020-02-04', NULL, 134),
	('0001493152-24-016772', 11, '20-F', '2024-04-26', NULL, 161);


--
-- Data for Name: idempotency_claim; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_claim VALUES
	(1, 'state', '\x9009c4be7c79e79ae060979f4e297b7378b6be641dc2602775c46c35ef9aa0d8', '82266b53-122a-47b6-8f74-dc14d6b01482', '2026-11-22 04:03:10.095801+00', NULL, '\x28b52ffd601b0cbd2b00ba548c0e26206b360f98cfe14c51211d566d24e4537c21c29021d288524b45952dcd72f8c5841002106205e400d100d00008099a0eba38605d140790819263568dfdfd62e75a7d5520a3d2c494283937f337d6782d76a75006a5fec74ff9af6e5f8e7da3c2c5728c9ff9bff7cab172ae0a88b008596f64a0f4600c4da0142d031309ba09591706d6dbc48992a55581123307ad951e5062986626c8360a5c4b11b3363756949c011e5818ba400931b06910d15d286474a0d408272832f24ed834a8746115c5a40c4ad0a4f22262950b6a489042262645a0d4096ac46b51724f90624a046c5894185b4877822a8c0cca42658d0def04d978e1b23c41d641ab32514297696caccab5f12a20e00125e822228303450d018dfdbdbfb96bdfda7f2fc51873df9653ceb16ac5bdbe3db714abeef7585b8c7b396eadd76b7eef3df54ab9e3f6fcb1ee7ee69c72ad1f6bd67cf933efe59853dcd6b77bc58c74ea05098a0bb541280c57a6c712a76c2a4a4f39f5eaff576bed1943180c64ee94f25eecf8d7239d203ae5add4a2b49463572e50fa6ffc9cbb7af6cc35560c5732f242862ea0b49ef563863c3b28332e444501c67a40e9add658757be78e2947ba712fc65ef962af59c1c8502ca52835bf644ea828ae6dbd585ca08a6201a2e49ef57afe9afd7aed5633c2010d5d5ce9501289c409ba92211945410d8d06ad0b4a090ff6cc3de3c5adb1a77a2db51a37c59c3fc2086a75bbea77ce1d7376ee3de3d7165b6a7573ef35e618617ef65c73fddfbd9e42da397bfedc5becfedf39a4dd2ff5be3dbfb6f81b73e6ae7963cd8bdfd57763a4119e5bcefdd45b087b639e1eecbd3dc5dcb5335e6fb962fcea7937a63ef96adcdfcb975afeac9046ee8b731ae106878907c8a0e44b2d33de0aaf55a684f5362c4840adbcb99ffbc696f2849a119a11d8d9d18204c5fe392be5de5e2f77af9df367c6547b63dc018f840742a6839eda5086136d73e83db651009931c141e03967f994c72e135e7bd84f829e734e5c2850406b9585221453ce0a1d283d121e88bda18496b8340c62ca139b1917d29d513288c3c098a0b571e0a934716a54a0f570e059281a5a17f73488e820da18136799f04c2aad950c06357006c41a17e7da989013320ec38477c2c53d352ed27166b47481388961c2068322ce121f488bb048c6b100ce121b94890b7139f0240d46632d819308b08dc361272d2e3d04380b8cb5618f8285088b3c9cb8b827414f828108508222a236b1a9378189b82856a2c4de90f52acb6c686d5810152a33c8241e0b1317b15284556e80c9a8e134a51432223332223349d2186002119a29230f12e0442d8d2a852429914044244949f95be8eaa4c7454ebd50f116e4bf3348adb63839d8404e3838eebfdb066b6b9862e22815e7d90d78302d500931e627205b954df325ef363e08cd4be310ab82c79f7b44dd21dc30db80b1a3d6ed57c7b96aaaac770eda5b3066ea20503631cbb11a1b21a435b1123e0bcc34565d10447bffb296108a4b31e9da9f08e7835b886dc39c12d810edafb208cd541b7edf7b9a06333bb50c2a170e27415732130c7925c0597c66fdda3f3d0b659fa320010e95246abc1d223631429df4f4a43d2b7a1f684cd4f6753bd90e5d303f64bbc476486ac61c8a076dafe88229efaf1f0496aeea400f3c6fe4d1fa3fef7fc13bdeeca3797c019c26486109e7a5310779acbbdf9a49df86244bcc18fcd40de16a01cb7b143338d20eecaab1e1ba4b1e093b4772399912cbd00657da7f11f644727364dde16ccd0fee01e9ddcf1eb33307f5d124434ecc5b01eb28a1b97bf1178915fab89f79d69ab180c89e528462d49cd34e7ee5df21a23c42d3d90dae69b686df1427cbce7078b06e0b292bc167ae29e501319a2a5ccf099baebd91364ec07349b48c64ea79baf4038857aedfb08f0af8b5410c7d0512073ce4cf576a');


--
-- Data for Name: import_batch; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.import_batch VALUES
	(1, 'sample', 1, 0, '2026-11-22 04:03:05.39326+00'),
	(2, 'sample', 1, 0, '2026-11-22 04:03:05.510647+00'),
	(3, 'sample', 1, 28, '2026-11-22 04:03:05.565734+00'),
	(4, 'sample', 1, 70, '2026-11-22 04:03:05.650762+00'),
	(5, 'sample', 1, 335, '2026-11-22 04:03:05.790057+00'),
	(6, 'sample', 1, 24, '2026-11-22 04:03:05.848613+00'),
	(7, 'sample', 1, 82, '2026-11-22 04:03:05.926774+00'),
	(8, 'sample', 4, 8144, '2026-11-22 04:03:06.05131+00'),
	(9, 'signals signals.csv.gz', 87, 99999, '2026-11-22 04:03:06.79285+00'),
	(10, 'signals signals.csv.gz', 88, 100000, '2026-11-22 04:03:07.77596+00'),
	(11, 'signals signals.csv.gz', 88, 9451, '2026-11-22 04:03:08.78793+00');


--
-- Data for Name: import_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.import_file VALUES
	('us/1', 'CIK0000320193.json', '2026-11-22 04:03:10.38532+00');


--
-- Data for Name: job_body; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_body VALUES
	('01a2016c-14ae-7650-a895-d8a9a91a5865', 0, '\x28b52ffd603805dd060042091d1b706975381e0d2dfcbfe0c000571f026fedee3f215218edfbff2f238d60ed75affe65ff5bcffad66db9355b66a9d7e2a56dac6283157f51b4424ded2623bd35f17ef56956018a5c2211b1c03838e24bc4a490475dc29810943cc9e972818af2f2e4155d91ae6eba84cb3b9209b83440e41d92094ba8a1e4eeff67b073d2061278368155c0b0240b496b04623813962c0e1e84c1484b0c0329d6c413f8f7103a93acda81b889ae9718fc29e58560b30916332e88a90fab425e4e1987a867898f5c8a6a0320ada0bbe142e324712a28fa8edc4434c6db5601');


--
-- Data for Name: job_process; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_process VALUES
	('2d73c2db-bd87-4b6e-a7b9-e6c4167d6564', '{state}', '2026-11-22 04:03:10.445856+00', '2026-11-22 04:03:10.445856+00');


--
-- Data for Name: job_result; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_result VALUES
	('01900000-0000-7000-8000-000000000000', '\x00');


--
-- Data for Name: job_share; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_share VALUES
	('01a2016c-14ae-7650-a895-d8a9a91a5865', 1, 0, '{0,1}', '\x00', 'd2d7a076-f65b-4214-b0d6-48ed90284b54');


--
-- Data for Name: key_entity; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.key_entity VALUES
	(2, 8, '2026-11-22 04:03:09.443401+00');


--
-- Data for Name: key_grant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.key_grant OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'redistribution', true, 3000, NULL, NULL, true, NULL, '2026-11-22 04:03:09.154093+00', NULL),
	(2, 2, 'evaluation', true, 300, NULL, 1000, false, 'fund.example', '2026-11-22 04:03:09.158123+00', '2026-12-23 00:00:00+00');


--
-- Data for Name: limit_counter; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.limit_counter VALUES
	('key:2', 29922003, 1, 0, 20779, 1, 1, 1795320189.421606),
	('key:1', 29922003, 3, 0, 20779, 3, 1, 1795320190.125667);


--
-- Data for Name: market_coverage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.market_coverage VALUES
	('BE', 1, NULL, NULL),
	('DK', 1, NULL, NULL),
	('FR', 1, '2017-02-18', '2017-02-18'),
	('JP', 1, '2024-06-28', '2024-06-28'),
	('KR', 1, '2022-08-16', '2024-03-12'),
	('NZ', 1, '2025-01-03', '2025-01-03'),
	('TW', 1, '2023-05-15', '2023-05-15'),
	('US', 4, '2009-07-22', '2024-04-26');


--
-- Data for Name: metric; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.metric VALUES
	(1, 'asset_turnover'),
	(2, 'assets'),
	(3, 'cash'),
	(4, 'current_assets'),
	(5, 'debt_to_equity'),
	(6, 'equity'),
	(7, 'liabilities'),
	(8, 'net_income'),
	(9, 'net_margin'),
	(10, 'operating_income'),
	(11, 'operating_margin'),
	(12, 'revenue'),
	(13, 'roa'),
	(14, 'roe'),
	(15, 'current_liabilities'),
	(16, 'current_ratio'),
	(17, 'eps'),
	(18, 'gross_margin'),
	(19, 'gross_profit'),
	(20, 'operating_cash_flow'),
	(21, 'gross_profit_ytd'),
	(22, 'net_income_ytd'),
	(23, 'operating_cash_flow_ytd'),
	(24, 'operating_income_ytd'),
	(25, 'revenue_ytd'),
	(26, 'expenses'),
	(27, 'eps_ytd'),
	(28, 'capital_expenditure'),
	(29, 'capital_expenditure_ytd'),
	(30, 'cost_of_revenue'),
	(31, 'cost_of_revenue_ytd'),
	(32, 'depreciation_amortization'),
	(33, 'depreciation_amortization_ytd'),
	(34, 'dividends_paid'),
	(35, 'dividends_paid_ytd'),
	(36, 'dividends_per_share'),
	(37, 'dividends_per_share_ytd'),
	(38, 'eps_diluted'),
	(39, 'eps_diluted_ytd'),
	(40, 'financing_cash_flow'),
	(41, 'financing_cash_flow_ytd'),
	(42, 'goodwill'),
	(43, 'income_tax'),
	(44, 'income_tax_ytd'),
	(45, 'interest_expense'),
	(46, 'interest_expense_ytd'),
	(47, 'inventory'),
	(48, 'investing_cash_flow'),
	(49, 'investing_cash_flow_ytd'),
	(50, 'long_term_debt'),
	(51, 'operating_expenses'),
	(52, 'operating_expenses_ytd'),
	(53, 'payables'),
	(54, 'pretax_income'),
	(55, 'pretax_income_ytd'),
	(56, 'property_plant_equipment'),
	(57, 'receivables'),
	(58, 'research_and_development'),
	(59, 'research_and_development_ytd'),
	(60, 'retained_earnings'),
	(61, 'selling_general_administrative'),
	(62, 'selling_general_administrative_ytd'),
	(63, 'share_repurchases'),
	(64, 'share_repurchases_ytd'),
	(65, 'shares_basic'),
	(66, 'shares_basic_ytd'),
	(67, 'shares_diluted'),
	(68, 'shares_diluted_ytd'),
	(69, 'shares_outstanding'),
	(70, 'stock_based_compensation'),
	(71, 'stock_based_compensation_ytd');


--
-- Data for Name: migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migration VALUES
	('0001_facts.sql', '2026-11-22 04:03:05.103275+00'),
	('0002_signals.sql', '2026-11-22 04:03:05.128914+00'),
	('0003_access.sql', '2026-11-22 04:03:05.137751+00'),
	('0004_search.sql', '2026-11-22 04:03:05.152416+00'),
	('0005_coverage.sql', '2026-11-22 04:03:05.161727+00'),
	('0006_import_files.sql', '2026-11-22 04:03:05.167157+00'),
	('0007_sample_load.sql', '2026-11-22 04:03:05.170091+00'),
	('0008_panels.sql', '2026-11-22 04:03:05.172207+00'),
	('0009_jobs.sql', '2026-11-22 04:03:05.180517+00'),
	('0010_sync.sql', '2026-11-22 04:03:05.20097+00'),
	('0011_entity_lists.sql', '2026-11-22 04:03:05.211455+00'),
	('0012_score.sql', '2026-11-22 04:03:05.213804+00'),
	('0013_other_names.sql', '2026-11-22 04:03:05.214858+00'),
	('0014_filing_numbers.sql', '2026-11-22 04:03:05.220179+00'),
	('0015_pulled_filings.sql', '2026-11-22 04:03:05.235513+00'),
	('0016_plain_names.sql', '2026-11-22 04:03:05.23875+00');


--
-- Data for Name: panel; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.panel VALUES
	('f4b0d5e0-8c4b-4555-a1ae-ab0c8ac0c7c8', 1, '\x32f512e6bcb53fd0679950db854d64a3e7580ec3a04a573181a24d8c8596662c', 24, 12, 2, 718, '2026-11-22 04:03:10.055217+00', '2026-11-22 04:03:10.055217+00');


--
-- Data for Name: panel_part; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.panel_part VALUES
	('f4b0d5e0-8c4b-4555-a1ae-ab0c8ac0c7c8', 0, '\x28b52ffd60ce019d0500e2081a249055cd013f3291789a543eeee608028c964d914d0e646bcf6490c1d8bf6f7ffffcbb2d530dc61b4ebdf0e984c1a30b1e38f436bfcc4ff273fc163f6907b0f3ec3a3bcdaeb27bb4d65a865967980cb37c1c87ba4c17c20aa0122b45f43a6cedd0a5576f93080512242040a392183a0306c30adcc90016dc93bc7ed9bcbc1e2ac738c64977c2e553c2d961a1310e844d0f3191f1da81c7816f3b0381f90e7ce0cc64c937336799bced88215738b73201');


--
-- Data for Name: pulled_filing; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pulled_filing VALUES
	(6, 'nz-1', 'return', '2024-05-03', NULL, '{2024-05-03,2024-06-01}', '[[1,1,1,null,19000,5,false]]');


--
-- Data for Name: sample_load; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sample_load VALUES
	(true, '2026-11-22 04:03:05.341792+00', '2026-11-22 04:03:09.147575+00');


--
-- Data for Name: signal; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signal VALUES
	('2017-08-31', 1, 'AAPL', 'US', 0.00103, 0.000305, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'ABB', 'US', 0.000684, 0.003451, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'ABBV', 'US', 0.001099, 0.001594, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'AEP', 'US', 0.0009, -0.001222, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'AGFS', 'US', 0.000534, 0.005618, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'AMGN', 'US', 0.000961, 0.005288, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'AMZN', 'US', 0.000754, -0.002396, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2017-08-31', 1, 'BA', 'US', 0.000756, 0.002796, DEFAULT, 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00'),
	('2030-01-02', 1, 'AAPL', 'US', 0.01, NULL, DEFAULT, 'live', '2026-11-22 04:03:10.38532+00', NULL);


--
-- Data for Name: signal_correction; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signal_correction OVERRIDING SYSTEM VALUE VALUES
	(1, '2017-08-31', 1, 'AAPL', 'US', 0.00103, 0.000515, 0.000305, 0.000305, 'backfill', 'backfill', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:08.78793+00', '2026-11-22 04:03:10.38532+00');


--
-- Data for Name: sync_cursor; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sync_cursor VALUES
	('US', 'quarters', '2024Q1');


--
-- Data for Name: sync_document; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sync_document VALUES
	('US', 'companyfacts/320193', '2024-05-03', false, '"a"', NULL, 'b1', 'us/2024-05-03/CIK0000320193.json', '2024-05-03');


--
-- Data for Name: sync_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sync_file VALUES
	('us/2024-05-03/CIK0000320193.json', 'US', '2024-05-03', 1204, '320193', NULL);


--
-- Data for Name: tag; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tag VALUES
	(1, 'C:CF'),
	(2, 'C:CJ'),
	(3, 'C:CO'),
	(4, 'C:DL'),
	(5, 'C:EC'),
	(6, 'C:FJ'),
	(7, 'C:GG'),
	(8, 'C:HN'),
	(9, 'jpcrp_cor:BasicEarningsLossPerShareSummaryOfBusinessResults'),
	(10, 'jpcrp_cor:NetAssetsSummaryOfBusinessResults'),
	(11, 'jpcrp_cor:NetCashProvidedByUsedInOperatingActivitiesSummaryOfBusinessResults'),
	(12, 'jpcrp_cor:NetSalesSummaryOfBusinessResults'),
	(13, 'jpcrp_cor:ProfitLossAttributableToOwnersOfParentSummaryOfBusinessResults'),
	(14, 'jpcrp_cor:TotalAssetsSummaryOfBusinessResults'),
	(15, 'jppfs_cor:Assets'),
	(16, 'jppfs_cor:CashAndDeposits'),
	(17, 'jppfs_cor:CurrentAssets'),
	(18, 'jppfs_cor:CurrentLiabilities'),
	(19, 'jppfs_cor:GrossProfit'),
	(20, 'jppfs_cor:Liabilities'),
	(21, 'jppfs_cor:NetAssets'),
	(22, 'jppfs_cor:NetCashProvidedByUsedInOperatingActivities'),
	(23, 'jppfs_cor:NetSales'),
	(24, 'jppfs_cor:OperatingIncome'),
	(25, 'jppfs_cor:ProfitLossAttributableToOwnersOfParent'),
	(26, 'dart_OperatingIncomeLoss'),
	(27, 'ifrs-full_Assets'),
	(28, 'ifrs-full_CashAndCashEquivalents'),
	(29, 'ifrs-full_CashFlowsFromUsedInOperatingActivities'),
	(30, 'ifrs-full_CurrentAssets'),
	(31, 'ifrs-full_CurrentLiabilities'),
	(32, 'ifrs-full_Equity'),
	(33, 'ifrs-full_GrossProfit'),
	(34, 'ifrs-full_Liabilities'),
	(35, 'ifrs-full_ProfitLoss'),
	(36, 'ifrs-full_Revenue'),
	(37, 'CashAndBankBalances'),
	(38, 'SurplusDeficit'),
	(39, 'TotalAssets'),
	(40, 'TotalEquity'),
	(41, 'TotalExpenditure'),
	(42, 'TotalGrossIncome'),
	(43, 'TotalLiabilities'),
	(44, '基本每股盈餘（元）'),
	(45, '本期淨利（淨損）'),
	(46, '權益總計'),
	(47, '流動負債'),
	(48, '流動資產'),
	(49, '淨利（淨損）歸屬於母公司業主'),
	(50, '營業利益（損失）'),
	(51, '營業收入'),
	(52, '營業毛利（毛損）淨額'),
	(53, '負債總計'),
	(54, '資產總計'),
	(55, 'dei:EntityCommonStockSharesOutstanding'),
	(56, 'ifrs-full:AdjustedWeightedAverageShares'),
	(57, 'ifrs-full:AdjustmentsForDepreciationAndAmortisationExpense'),
	(58, 'ifrs-full:AdjustmentsForSharebasedPayments'),
	(59, 'ifrs-full:Assets'),
	(60, 'ifrs-full:BasicEarningsLossPerShare'),
	(61, 'ifrs-full:CashAndCashEquivalents'),
	(62, 'ifrs-full:CashFlowsFromUsedInFinancingActivities'),
	(63, 'ifrs-full:CashFlowsFromUsedInInvestingActivities'),
	(64, 'ifrs-full:CashFlowsFromUsedInOperations'),
	(65, 'ifrs-full:CurrentAssets'),
	(66, 'ifrs-full:CurrentLiabilities'),
	(67, 'ifrs-full:DilutedEarningsLossPerShare'),
	(68, 'ifrs-full:Equity'),
	(69, 'ifrs-full:IncomeTaxExpenseContinuingOperations'),
	(70, 'ifrs-full:InterestExpense'),
	(71, 'ifrs-full:Liabilities'),
	(72, 'ifrs-full:LongtermBorrowings'),
	(73, 'ifrs-full:NumberOfSharesOutstanding'),
	(74, 'ifrs-full:OperatingExpense'),
	(75, 'ifrs-full:PaymentsToAcquireOrRedeemEntitysShares'),
	(76, 'ifrs-full:ProfitLoss'),
	(77, 'ifrs-full:ProfitLossBeforeTax'),
	(78, 'ifrs-full:ProfitLossFromOperatingActivities'),
	(79, 'ifrs-full:PropertyPlantAndEquipment'),
	(80, 'ifrs-full:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities'),
	(81, 'ifrs-full:RetainedEarnings'),
	(82, 'ifrs-full:Revenue'),
	(83, 'ifrs-full:SellingGeneralAndAdministrativeExpense'),
	(84, 'ifrs-full:TradeAndOtherCurrentPayables'),
	(85, 'ifrs-full:WeightedAverageShares'),
	(86, 'us-gaap:AccountsPayable'),
	(87, 'us-gaap:AccountsPayableCurrent'),
	(88, 'us-gaap:AccountsReceivableNetCurrent'),
	(89, 'us-gaap:AllocatedShareBasedCompensationExpense'),
	(90, 'us-gaap:Assets'),
	(91, 'us-gaap:AssetsCurrent'),
	(92, 'us-gaap:CashAndCashEquivalentsAtCarryingValue'),
	(93, 'us-gaap:CommonStockDividendsPerShareDeclared'),
	(94, 'us-gaap:CommonStockSharesOutstanding'),
	(95, 'us-gaap:CostOfGoodsAndServicesSold'),
	(96, 'us-gaap:CostOfRevenue'),
	(97, 'us-gaap:Depreciation'),
	(98, 'us-gaap:DepreciationAmortizationAndAccretionNet'),
	(99, 'us-gaap:DepreciationDepletionAndAmortization'),
	(100, 'us-gaap:EarningsPerShareBasic');
INSERT INTO public.tag VALUES
	(101, 'us-gaap:EarningsPerShareBasicAndDiluted'),
	(102, 'us-gaap:EarningsPerShareDiluted'),
	(103, 'us-gaap:Goodwill'),
	(104, 'us-gaap:GrossProfit'),
	(105, 'us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest'),
	(106, 'us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments'),
	(107, 'us-gaap:IncomeTaxExpenseBenefit'),
	(108, 'us-gaap:InterestExpense'),
	(109, 'us-gaap:InterestExpenseDebt'),
	(110, 'us-gaap:InterestExpenseNonoperating'),
	(111, 'us-gaap:InventoryNet'),
	(112, 'us-gaap:Liabilities'),
	(113, 'us-gaap:LiabilitiesCurrent'),
	(114, 'us-gaap:LongTermDebt'),
	(115, 'us-gaap:LongTermDebtAndCapitalLeaseObligations'),
	(116, 'us-gaap:LongTermDebtNoncurrent'),
	(117, 'us-gaap:NetCashProvidedByUsedInFinancingActivities'),
	(118, 'us-gaap:NetCashProvidedByUsedInFinancingActivitiesContinuingOperations'),
	(119, 'us-gaap:NetCashProvidedByUsedInInvestingActivities'),
	(120, 'us-gaap:NetCashProvidedByUsedInInvestingActivitiesContinuingOperations'),
	(121, 'us-gaap:NetCashProvidedByUsedInOperatingActivities'),
	(122, 'us-gaap:NetCashProvidedByUsedInOperatingActivitiesContinuingOperations'),
	(123, 'us-gaap:NetIncomeLoss'),
	(124, 'us-gaap:OperatingExpenses'),
	(125, 'us-gaap:OperatingIncomeLoss'),
	(126, 'us-gaap:PaymentsForRepurchaseOfCommonStock'),
	(127, 'us-gaap:PaymentsOfDividends'),
	(128, 'us-gaap:PaymentsOfDividendsCommonStock'),
	(129, 'us-gaap:PaymentsToAcquireProductiveAssets'),
	(130, 'us-gaap:PaymentsToAcquirePropertyPlantAndEquipment'),
	(131, 'us-gaap:PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization'),
	(132, 'us-gaap:PropertyPlantAndEquipmentNet'),
	(133, 'us-gaap:ResearchAndDevelopmentExpense'),
	(134, 'us-gaap:RetainedEarningsAccumulatedDeficit'),
	(135, 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax'),
	(136, 'us-gaap:Revenues'),
	(137, 'us-gaap:SalesRevenueNet'),
	(138, 'us-gaap:SellingGeneralAndAdministrativeExpense'),
	(139, 'us-gaap:ShareBasedCompensation'),
	(140, 'us-gaap:StockholdersEquity'),
	(141, 'us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding'),
	(142, 'us-gaap:WeightedAverageNumberOfShareOutstandingBasicAndDiluted'),
	(143, 'us-gaap:WeightedAverageNumberOfSharesOutstandingBasic'),
	(144, 'us-gaap:StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest');


--
-- Data for Name: unit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unit VALUES
	(1, 'EUR'),
	(2, 'pure'),
	(3, 'JPY'),
	(4, 'JPY/shares'),
	(5, 'KRW'),
	(6, 'AUD'),
	(7, 'TWD'),
	(8, 'TWD/shares'),
	(9, 'USD'),
	(10, 'USD/shares'),
	(11, 'shares');


--
-- Name: job_queues_id_seq; Type: SEQUENCE SET; Schema: asfiled_queue; Owner: -
--

SELECT pg_catalog.setval('asfiled_queue.job_queues_id_seq', 1, true);


--
-- Name: jobs_id_seq1; Type: SEQUENCE SET; Schema: asfiled_queue; Owner: -
--

SELECT pg_catalog.setval('asfiled_queue.jobs_id_seq1', 1, true);


--
-- Name: tasks_id_seq; Type: SEQUENCE SET; Schema: asfiled_queue; Owner: -
--

SELECT pg_catalog.setval('asfiled_queue.tasks_id_seq', 1, true);


--
-- Name: api_key_key_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.api_key_key_id_seq', 2, true);


--
-- Name: entity_entity_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.entity_entity_id_seq', 11, true);


--
-- Name: entity_other_name_place_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.entity_other_name_place_seq', 3, true);


--
-- Name: filing_filing_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.filing_filing_id_seq', 163, true);


--
-- Name: key_grant_grant_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.key_grant_grant_id_seq', 2, true);


--
-- Name: metric_metric_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.metric_metric_id_seq', 71, true);


--
-- Name: signal_correction_correction_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.signal_correction_correction_id_seq', 1, true);


--
-- Name: tag_tag_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.tag_tag_id_seq', 144, true);


--
-- Name: unit_unit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.unit_unit_id_seq', 11, true);


--
-- Name: _private_job_queues job_queues_pkey1; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_job_queues
    ADD CONSTRAINT job_queues_pkey1 PRIMARY KEY (id);


--
-- Name: _private_job_queues job_queues_queue_name_key; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_job_queues
    ADD CONSTRAINT job_queues_queue_name_key UNIQUE (queue_name);


--
-- Name: _private_jobs jobs_key_key1; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_jobs
    ADD CONSTRAINT jobs_key_key1 UNIQUE (key);


--
-- Name: _private_jobs jobs_pkey1; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_jobs
    ADD CONSTRAINT jobs_pkey1 PRIMARY KEY (id);


--
-- Name: _private_known_crontabs known_crontabs_pkey; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_known_crontabs
    ADD CONSTRAINT known_crontabs_pkey PRIMARY KEY (identifier);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);


--
-- Name: _private_tasks tasks_identifier_key; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_tasks
    ADD CONSTRAINT tasks_identifier_key UNIQUE (identifier);


--
-- Name: _private_tasks tasks_pkey; Type: CONSTRAINT; Schema: asfiled_queue; Owner: -
--

ALTER TABLE ONLY asfiled_queue._private_tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);


--
-- Name: api_key api_key_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_digest_key UNIQUE (digest);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);


--
-- Name: backtest_job backtest_job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.backtest_job
    ADD CONSTRAINT backtest_job_pkey PRIMARY KEY (job_id);


--
-- Name: data_version data_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.data_version
    ADD CONSTRAINT data_version_pkey PRIMARY KEY (only_row);


--
-- Name: entity entity_market_issuer_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_market_issuer_id_key UNIQUE (market, issuer_id);


--
-- Name: entity_other_name entity_other_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity_other_name
    ADD CONSTRAINT entity_other_name_pkey PRIMARY KEY (entity_id, name);


--
-- Name: entity entity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_pkey PRIMARY KEY (entity_id);


--
-- Name: entity_ticker entity_ticker_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity_ticker
    ADD CONSTRAINT entity_ticker_pkey PRIMARY KEY (ticker);


--
-- Name: filing filing_accession; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.filing
    ADD CONSTRAINT filing_accession UNIQUE (accession);


--
-- Name: filing filing_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.filing
    ADD CONSTRAINT filing_pkey PRIMARY KEY (filing_id);


--
-- Name: idempotency_claim idempotency_claim_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_claim
    ADD CONSTRAINT idempotency_claim_pkey PRIMARY KEY (key_id, name);


--
-- Name: import_batch import_batch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_batch
    ADD CONSTRAINT import_batch_pkey PRIMARY KEY (version);


--
-- Name: import_file import_file_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_file
    ADD CONSTRAINT import_file_pkey PRIMARY KEY (content_key);


--
-- Name: job_body job_body_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_body
    ADD CONSTRAINT job_body_pkey PRIMARY KEY (job_id, part);


--
-- Name: job_process job_process_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_process
    ADD CONSTRAINT job_process_pkey PRIMARY KEY (process_id);


--
-- Name: job_result job_result_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_result
    ADD CONSTRAINT job_result_pkey PRIMARY KEY (job_id);


--
-- Name: job_share job_share_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_share
    ADD CONSTRAINT job_share_pkey PRIMARY KEY (job_id, round, place);


--
-- Name: key_entity key_entity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_entity
    ADD CONSTRAINT key_entity_pkey PRIMARY KEY (key_id, entity_id);


--
-- Name: key_grant key_grant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_grant
    ADD CONSTRAINT key_grant_pkey PRIMARY KEY (grant_id);


--
-- Name: limit_counter limit_counter_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.limit_counter
    ADD CONSTRAINT limit_counter_pkey PRIMARY KEY (subject);


--
-- Name: market_coverage market_coverage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.market_coverage
    ADD CONSTRAINT market_coverage_pkey PRIMARY KEY (market);


--
-- Name: metric metric_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metric
    ADD CONSTRAINT metric_name_key UNIQUE (name);


--
-- Name: metric metric_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metric
    ADD CONSTRAINT metric_pkey PRIMARY KEY (metric_id);


--
-- Name: migration migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);


--
-- Name: panel panel_key_id_content_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.panel
    ADD CONSTRAINT panel_key_id_content_key UNIQUE (key_id, content);


--
-- Name: panel_part panel_part_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.panel_part
    ADD CONSTRAINT panel_part_pkey PRIMARY KEY (panel_id, part);


--
-- Name: panel panel_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.panel
    ADD CONSTRAINT panel_pkey PRIMARY KEY (panel_id);


--
-- Name: sample_load sample_load_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sample_load
    ADD CONSTRAINT sample_load_pkey PRIMARY KEY (only_row);


--
-- Name: signal_correction signal_correction_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signal_correction
    ADD CONSTRAINT signal_correction_pkey PRIMARY KEY (correction_id);


--
-- Name: signal signal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signal
    ADD CONSTRAINT signal_pkey PRIMARY KEY (horizon, date, ticker, market);


--
-- Name: sync_cursor sync_cursor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sync_cursor
    ADD CONSTRAINT sync_cursor_pkey PRIMARY KEY (market, name);


--
-- Name: sync_document sync_document_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sync_document
    ADD CONSTRAINT sync_document_pkey PRIMARY KEY (market, key);


--
-- Name: sync_file sync_file_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sync_file
    ADD CONSTRAINT sync_file_pkey PRIMARY KEY (path);


--
-- Name: tag tag_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_name_key UNIQUE (name);


--
-- Name: tag tag_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_pkey PRIMARY KEY (tag_id);


--
-- Name: unit unit_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_name_key UNIQUE (name);


--
-- Name: unit unit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_pkey PRIMARY KEY (unit_id);


--
-- Name: jobs_main_index; Type: INDEX; Schema: asfiled_queue; Owner: -
--

CREATE INDEX jobs_main_index ON asfiled_queue._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id, job_queue_id) WHERE (is_available = true);


--
-- Name: jobs_no_queue_index; Type: INDEX; Schema: asfiled_queue; Owner: -
--

CREATE INDEX jobs_no_queue_index ON asfiled_queue._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id) WHERE ((is_available = true) AND (job_queue_id IS NULL));


--
-- Name: api_key_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_key_prefix ON public.api_key USING btree (prefix text_pattern_ops);


--
-- Name: backtest_job_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX backtest_job_finished ON public.backtest_job USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: backtest_job_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX backtest_job_key ON public.backtest_job USING btree (key_id, job_id DESC);


--
-- Name: backtest_job_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX backtest_job_unfinished ON public.backtest_job USING btree (key_id) WHERE (finished_at IS NULL);


--
-- Name: entity_coverage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_coverage ON public.entity USING btree (market, ticker, entity_id);


--
-- Name: entity_issuer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_issuer ON public.entity USING btree (issuer_id);


--
-- Name: entity_of_market; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_of_market ON public.entity USING btree (market, entity_id);


--
-- Name: entity_other_name_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_other_name_search ON public.entity_other_name USING gin (public.search_terms(market, name, search_name)) WITH (gin_pending_list_limit='256');


--
-- Name: entity_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_search ON public.entity USING gin (public.search_terms(market, name, search_name)) WITH (gin_pending_list_limit='256');


--
-- Name: entity_ticker_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_ticker_entity ON public.entity_ticker USING btree (entity_id);


--
-- Name: entity_ticker_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_ticker_search ON public.entity_ticker USING btree (public.search_text(ticker) text_pattern_ops);


--
-- Name: fact_company; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX fact_company ON public.fact USING btree (entity_id, metric_id, period_end DESC, filed DESC, fp, filing_id);


--
-- Name: fact_cross_section; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX fact_cross_section ON public.fact USING btree (metric_id, entity_id, period_end DESC, filed DESC);


--
-- Name: fact_repeat_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX fact_repeat_entity ON public.fact_repeat USING btree (entity_id);


--
-- Name: filing_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX filing_entity ON public.filing USING btree (entity_id);


--
-- Name: idempotency_claim_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_claim_age ON public.idempotency_claim USING btree (claimed_at);


--
-- Name: idempotency_claim_job; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_claim_job ON public.idempotency_claim USING btree (job_id);


--
-- Name: key_grant_evaluation; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX key_grant_evaluation ON public.key_grant USING btree (evaluation_domain);


--
-- Name: key_grant_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX key_grant_key ON public.key_grant USING btree (key_id);


--
-- Name: limit_counter_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX limit_counter_day ON public.limit_counter USING btree (day);


--
-- Name: panel_used; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX panel_used ON public.panel USING btree (used_at);


--
-- Name: pulled_filing_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pulled_filing_entity ON public.pulled_filing USING btree (entity_id);


--
-- Name: signal_correction_signal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signal_correction_signal ON public.signal_correction USING btree (horizon, date, ticker, market);


--
-- Name: signal_served; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signal_served ON public.signal USING btree (date DESC, ticker, horizon, market) WHERE (actual IS NOT NULL);


--
-- Name: signal_served_market; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signal_served_market ON public.signal USING btree (market, date DESC, ticker, horizon) WHERE (actual IS NOT NULL);


--
-- Name: sync_file_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sync_file_subject ON public.sync_file USING btree (market, subject) WHERE (subject IS NOT NULL);


--
-- Name: sync_file_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sync_file_waiting ON public.sync_file USING btree (market, pulled_on, path) WHERE (imported_at IS NULL);


--
-- Name: api_key api_key_told; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER api_key_told AFTER INSERT OR DELETE OR UPDATE ON public.api_key FOR EACH STATEMENT EXECUTE FUNCTION public.tell_access();


--
-- Name: entity entity_counted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER entity_counted AFTER INSERT ON public.entity REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.count_entities();


--
-- Name: filing filing_gone; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER filing_gone AFTER DELETE ON public.filing REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.narrow_filings();


--
-- Name: filing filing_moved; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER filing_moved AFTER UPDATE ON public.filing REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.narrow_moved_filings();


--
-- Name: filing filing_spanned; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER filing_spanned AFTER INSERT ON public.filing REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.span_filings();


--
-- Name: filing filing_spanned_anew; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER filing_spanned_anew AFTER UPDATE ON public.filing REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.span_filings();


--
-- Name: key_grant key_grant_told; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER key_grant_told AFTER INSERT OR DELETE OR UPDATE ON public.key_grant FOR EACH STATEMENT EXECUTE FUNCTION public.tell_access();


--
-- Name: backtest_job backtest_job_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.backtest_job
    ADD CONSTRAINT backtest_job_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(key_id);


--
-- Name: entity_other_name entity_other_name_entity_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity_other_name
    ADD CONSTRAINT entity_other_name_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES public.entity(entity_id);


--
-- Name: entity_ticker entity_ticker_entity_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity_ticker
    ADD CONSTRAINT entity_ticker_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES public.entity(entity_id);


--
-- Name: idempotency_claim idempotency_claim_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_claim
    ADD CONSTRAINT idempotency_claim_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.backtest_job(job_id) ON DELETE CASCADE;


--
-- Name: idempotency_claim idempotency_claim_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_claim
    ADD CONSTRAINT idempotency_claim_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(key_id);


--
-- Name: job_body job_body_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_body
    ADD CONSTRAINT job_body_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.backtest_job(job_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: job_result job_result_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_result
    ADD CONSTRAINT job_result_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.backtest_job(job_id) ON DELETE CASCADE;


--
-- Name: job_share job_share_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_share
    ADD CONSTRAINT job_share_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.backtest_job(job_id) ON DELETE CASCADE;


--
-- Name: key_entity key_entity_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_entity
    ADD CONSTRAINT key_entity_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(key_id);


--
-- Name: key_grant key_grant_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_grant
    ADD CONSTRAINT key_grant_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(key_id);


--
-- Name: panel panel_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.panel
    ADD CONSTRAINT panel_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(key_id);


--
-- Name: panel_part panel_part_panel_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.panel_part
    ADD CONSTRAINT panel_part_panel_id_fkey FOREIGN KEY (panel_id) REFERENCES public.panel(panel_id) ON DELETE CASCADE;


--
-- Name: _private_job_queues; Type: ROW SECURITY; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_job_queues ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_jobs; Type: ROW SECURITY; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_known_crontabs; Type: ROW SECURITY; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_known_crontabs ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_tasks; Type: ROW SECURITY; Schema: asfiled_queue; Owner: -
--

ALTER TABLE asfiled_queue._private_tasks ENABLE ROW LEVEL SECURITY;

--
-- PostgreSQL database dump complete
--


