-- Lists by state that include SKIPPED read the whole span without an index of their own: eight seconds for an hour of two
-- thousand fires a second. execution_trouble stays for lists without SKIPPED, because a task may skip most of its slots.
create index execution_unsuccessful on only twinbell.execution (fire_time, task_id)
  where state in ('FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED');

-- Only small partitions get it, today's and later ones, as in V36: an index on the whole ledger would keep the master from
-- writing while it is built. New partitions get it when they are created.
do $$
declare
  part text;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'twinbell.execution'::regclass
      and (c.relname = 'execution_default'
        or c.relname >= 'execution_' || to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD'))
      and pg_relation_size(c.oid) < 64 * 1024 * 1024
  loop
    execute format('create index %I on twinbell.%I (fire_time, task_id)'
      ' where state in (''FAILED'', ''TIMED_OUT'', ''CANCELLED'', ''SKIPPED'', ''MISSED'', ''DROPPED'')',
      part || '_unsuccessful', part);
    execute format('alter index twinbell.execution_unsuccessful attach partition twinbell.%I', part || '_unsuccessful');
  end loop;
end $$;
