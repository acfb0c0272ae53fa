-- Checks the next seals after a number: against the seal before, and against their entries.
create function twinbell.verify_audit(after bigint, most integer)
  returns table (number bigint, day date, entries integer, chain bytea, problems text[])
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s twinbell.audit_seal;
  earlier twinbell.audit_seal;
  found_problems text[];
begin
  for s in select * from twinbell.audit_seal a where a.number > after order by a.number limit most loop
    problems := '{}';
    select * into earlier from twinbell.audit_seal a where a.number = s.number - 1;
    if earlier.number is not null then
      if s.previous <> earlier.chain or s.day < earlier.day then
        problems := problems || format('seal %s does not follow seal %s', s.number, earlier.number);
      end if;
    elsif exists (select from twinbell.audit_seal a where a.number < s.number) then
      problems := problems || format('seal %s is missing', s.number - 1);
    end if;
    if s.chain <> twinbell.audit_chain(s.previous, s.number, s.day, s.ids, s.digests) then
      problems := problems || format('seal %s was changed', s.number);
    end if;
    -- Without the seal before, it is unknown which entries are the first of this one.
    select coalesce(array_agg(problem order by id), '{}') into found_problems from (
      select coalesce(u.id, e.id) as id,
             case when e.id is null then format('entry %s is missing', u.id)
               when u.id is null then format('entry %s was added to seal %s', e.id, s.number)
               when u.digest <> twinbell.audit_digest(e.entry) then format('entry %s was changed', u.id)
               when u.place < max(u.place) over (order by e.tx, e.id) then format('entry %s was moved', u.id) end as problem
      from unnest(s.ids, s.digests) with ordinality as u(id, digest, place)
        full join (
          select a.id, a.tx, a as entry from twinbell.audit_entry a
          where (a.tx, a.id) <= (s.last_tx, s.last_id) and a.id > s.floor_id
            and (a.tx, a.id) > (case when earlier.number is null or earlier.floor_id <> s.floor_id then '0'::xid8 else earlier.last_tx end,
                                case when earlier.number is null or earlier.floor_id <> s.floor_id then 0 else earlier.last_id end)
            and (earlier.number is not null or a.id = any(s.ids))
        ) e on e.id = u.id
    ) c where problem is not null;
    problems := problems || found_problems[1:100];
    number := s.number;
    day := s.day;
    entries := cardinality(s.ids);
    chain := s.chain;
    return next;
  end loop;
end $$;

-- How many entries are not sealed yet, up to a bound, and whether the end of the chain is the one that was recorded.
create function twinbell.audit_end(most integer) returns table (entries bigint, oldest_seconds bigint, problem text)
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  with last as (
    select s.* from twinbell.audit_seal s order by s.number desc limit 1
  ), unsealed as (
    select e.at from twinbell.audit_entry e
    where (e.tx, e.id) > (coalesce((select last_tx from last), '0'), coalesce((select last_id from last), 0))
      and e.id > coalesce((select floor_id from last), 0)
    order by e.tx, e.id limit most
  )
  select count(*), coalesce(floor(extract(epoch from clock_timestamp() - min(u.at))), 0)::bigint,
         (select case
            when h.number > 0 and l.number is null then format('all seals up to %s are missing', h.number)
            when l.number is distinct from h.number and h.number > 0
              then format('the last seal is %s, and %s was recorded as the last', l.number, h.number)
            when h.number = 0 and l.number is not null then 'the record of the last seal was reset'
            when l.chain <> h.chain then format('seal %s is not the one that was recorded as the last', l.number) end
          from twinbell.audit_head h left join last l on true)
  from unsealed u
$$;
revoke all on function twinbell.verify_audit(bigint, integer), twinbell.audit_end(integer) from public;

-- Seals the next entries, in the order of their transactions, and returns them. An entry whose transaction may still have
-- older ones beside it waits for these. Only days since shortly before the last seal are searched: there may be hundreds.
create or replace function twinbell.seal_audit(most integer) returns setof twinbell.audit_entry
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  last twinbell.audit_seal;
  settled xid8 := pg_snapshot_xmin(pg_current_snapshot());
  is_restored boolean;
  entries twinbell.audit_entry[];
  sealed twinbell.audit_seal;
begin
  perform from twinbell.audit_head for update;
  select * into last from twinbell.audit_seal order by number desc limit 1;
  if not found then
    select h.number, '-infinity', '{}', '{}', '0', 0, 0, h.chain
      into last.number, last.day, last.ids, last.digests, last.last_tx, last.last_id, last.floor_id, last.chain from twinbell.audit_head h;
  end if;
  -- A restored database may be on a server that has not reached these transaction numbers. What came with it is settled.
  is_restored := last.last_tx >= pg_snapshot_xmax(pg_current_snapshot());
  for try in 1..2 loop
    select array_agg(e order by e.tx, e.id) into entries from (
      select * from twinbell.audit_entry e
      where (e.tx, e.id) > (last.last_tx, last.last_id) and e.id > last.floor_id and (is_restored or e.tx < settled)
        and e.at >= (last.day - 2)::timestamp at time zone 'UTC'
      order by e.tx, e.id limit most) e;
    exit when entries is not null or not is_restored;
    select coalesce(max(i), 0) into last.floor_id from twinbell.audit_seal s, unnest(s.ids) i;
    last.last_tx := '0';
    last.last_id := 0;
    is_restored := false;
  end loop;
  if entries is null then
    return;
  end if;
  select last.number + 1, greatest(last.day, max((e.at at time zone 'UTC')::date)), clock_timestamp(),
         array_agg(e.id order by e.n), array_agg(twinbell.audit_digest(entries[e.n]) order by e.n), last.floor_id, last.chain
    into sealed.number, sealed.day, sealed.sealed_at, sealed.ids, sealed.digests, sealed.floor_id, sealed.previous
  from unnest(entries) with ordinality as e(id, at, tx, actor, channel, address, request, db_role, kind, object, app, name, act,
    before, after, outcome, detail, items, n);
  sealed.last_tx := entries[cardinality(entries)].tx;
  sealed.last_id := entries[cardinality(entries)].id;
  sealed.chain := twinbell.audit_chain(sealed.previous, sealed.number, sealed.day, sealed.ids, sealed.digests);
  insert into twinbell.audit_seal select sealed.*;
  update twinbell.audit_head set number = sealed.number, chain = sealed.chain;
  return query select * from unnest(entries);
end $$;
