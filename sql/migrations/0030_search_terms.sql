-- Why: four of a hundred searches took ten times as long as the others. A word of five, seven or eight letters was looked for by its first
-- four or six, and every company with these was read. And a common word with "no longer than" was an intersection of two long lists.
-- Now a word has a term of each length from four to nine, and the term of a name in a market of words ends with the letter of the
-- name's length: one list holds the short names of a common word and nothing else.
-- Upgrade: Older servers search names slowly until they are restarted, because the indexes that they use go.
-- Building the two indexes takes about as long as in a bulk load; imports wait for it, and readers do not.

-- The length of a name as a letter: a for up to 4 characters, n for more than 40. Readers send the letters of the lengths that they want.
create function name_size(length integer) returns text
language sql immutable strict parallel safe
return chr(97 + width_bucket(length, array[5, 7, 9, 11, 13, 15, 17, 19, 21, 25, 29, 33, 41]));

-- Where names are matched by words: b a name's beginning, w a whole word of up to three characters, p a word's beginning, each with the
-- letter of the length. Elsewhere: n a name's beginning, g a run of one to three characters, l no longer than.
-- It is procedural because that is ten times faster than one query, and names no function that is not of the system, because an
-- index is built without a search path.
create function name_terms_of(length integer, folded text, words text[], size_letter text) returns text[]
language plpgsql immutable parallel safe
as $$
declare
  terms text[] := '{}';
  word text;
  size integer;
begin
  if folded is null or folded = '' then return terms; end if;
  if words is not null then
    foreach size in array array[1, 2, 3, 4, 6, 9] loop
      exit when size > char_length(folded);
      terms := terms || ('b' || left(folded, size) || size_letter);
    end loop;
    foreach word in array words loop
      if char_length(word) < 4 then
        terms := terms || ('w' || word || size_letter);
      else
        for size in 4..least(9, char_length(word)) loop
          terms := terms || ('p' || left(word, size) || size_letter);
        end loop;
      end if;
    end loop;
    return terms;
  end if;
  foreach size in array array[1, 2, 3, 4, 6, 9] loop
    exit when size > char_length(folded);
    terms := terms || ('n' || left(folded, size));
  end loop;
  foreach size in array array[40, 32, 28, 24, 20, 18, 16, 14, 12, 10, 8, 6, 4] loop
    exit when size < length;
    terms := terms || ('l' || size);
  end loop;
  for start in 1..char_length(folded) loop
    terms := terms || array['g' || substr(folded, start, 1), 'g' || substr(folded, start, 2),
                            'g' || substr(folded, start, 3)];
  end loop;
  return terms;
end
$$;

create function name_terms(market text, name text, folded text) returns text[]
language sql immutable parallel safe
return name_terms_of(char_length(name), folded, case when search_by_word(market) then search_words(folded) end,
                     name_size(char_length(name)));

-- What a query has to look for: the reader's side of name_terms, without the letters of the length. `beginning` is of a market of words.
-- `words`, `patterns` and `inside`
-- are null where the query has no word.
create function name_probe(folded text, out beginning text, out prefix text, out words text[], out grams text[], out patterns text[],
                           out inside text[])
language sql immutable parallel safe
return (
  select row(
    'b' || left(folded, cut), 'n' || left(folded, cut),
    (select array_agg(distinct case when char_length(word) < 4 then 'w' || word else 'p' || left(word, 9) end)
     from unnest(search_words(folded)) word),
    (select array_agg(distinct 'g' || substr(folded, start, least(3, char_length(folded))))
     from generate_series(1, greatest(1, char_length(folded) - 2)) start),
    (select array_agg(distinct case when char_length(word) < 4 then '% ' || word || ' %' else '% ' || word || '%' end)
     from unnest(search_words(folded)) word),
    (select array_agg(distinct '%' || word || '%') from unnest(search_words(folded)) word))
  from (select max(size) as cut from unnest(array[1, 2, 3, 4, 6, 9]) size where size <= char_length(folded)) prefix);

create index entity_names on entity using gin (name_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
create index entity_other_names on entity_other_name using gin (name_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
drop index if exists entity_search;
drop index entity_other_name_search;
-- Which words are common, the reader learns from the statistics of these indexes.
analyze entity;
analyze entity_other_name;
