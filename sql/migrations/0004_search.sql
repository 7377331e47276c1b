-- Why: a name has to be found in milliseconds among millions, in any script, and the same names have to come
-- first every time. Both sides of a comparison go through search_text. One inverted index answers everything
-- about names: its terms are the beginnings of names, the words (France, Belgium, Denmark) or the runs of one
-- to three characters (everywhere else, Chinese and Japanese included), and how short a name is. The last lets
-- a reader ask for the shortest matches first instead of sorting every name that holds a common word.

-- NFKC, case folding and no diacritics. Decomposing, dropping the combining marks of Latin, Greek and Cyrillic
-- and composing again leaves the voicing marks of kana and the parts of Hangul where they belong. Letters that
-- Unicode does not decompose lose their stroke by name. Runs of blanks are one blank.
create function search_text(text) returns text
language sql immutable strict parallel safe
return btrim(regexp_replace(
  replace(replace(replace(replace(
    translate(
      normalize(regexp_replace(normalize(lower(normalize($1, NFKC)), NFKD),
        U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), NFC),
      'øłđħŧıĸðςŋɨʉɓɗƒǥȼ', 'oldhtikdσniubdfgc'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  '\s+', ' ', 'g'));

-- The words of a text, each between blanks, so that `like '% word%'` means the beginning of one.
create function search_spaced(folded text) returns text
language sql immutable strict parallel safe
return ' ' || btrim(regexp_replace(folded, '[^[:alnum:]]+', ' ', 'g')) || ' ';

create function search_words(folded text) returns text[]
language sql immutable strict parallel safe
return string_to_array(btrim(search_spaced(folded)), ' ');

-- Names of these markets are matched word by word.
create function search_by_word(market text) returns boolean
language sql immutable strict parallel safe
return market in ('FR', 'BE', 'DK');

-- n: the name's beginning, w: a whole word of up to three characters, p: a word's beginning, g: a run of one to
-- three characters, l: no longer than. A reader asks for the longest beginning that is kept and checks the rest.
-- It is procedural because that is ten times faster than one query, and names no other function, because an
-- index is built without a search path.
create function search_terms_of(length integer, folded text, words text[]) returns text[]
language plpgsql immutable parallel safe
as $$
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

create function search_terms(market text, name text, folded text) returns text[]
language sql immutable parallel safe
return search_terms_of(char_length(name), folded,
                       case when search_by_word(market) then search_words(folded) end);

-- What a query has to look for: the reader's side of search_terms. `words` and `grams` are null where the query
-- cannot match in that way.
create function search_probe(folded text, out prefix text, out words text[], out grams text[], out patterns text[])
language sql immutable parallel safe
return (
  select row(
    'n' || left(folded, (select max(size) from unnest(array[1, 2, 3, 4, 6, 9]) size
                         where size <= char_length(folded))),
    (select array_agg(distinct case when char_length(word) < 4 then 'w' || word
       else 'p' || left(word, (select max(size) from unnest(array[4, 6, 9]) size where size <= char_length(word))) end)
     from unnest(search_words(folded)) word),
    (select array_agg(distinct 'g' || substr(folded, start, least(3, char_length(folded))))
     from generate_series(1, greatest(1, char_length(folded) - 2)) start),
    (select array_agg(distinct case when char_length(word) < 4 then '% ' || word || ' %' else '% ' || word || '%' end)
     from unnest(search_words(folded)) word)));

alter table entity add column search_name text generated always as (search_text(name)) stored;
-- What was inserted lately waits in a list that every search reads through: it is kept short.
create index entity_search on entity using gin (search_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
create index entity_issuer on entity (issuer_id);
create index entity_ticker_search on entity_ticker (search_text(ticker) text_pattern_ops);
