-- What each app may take: tasks, new tasks a minute, and bytes of definitions. Null means any number. Without quotas there is
-- no row. The master writes it.
create table twinbell.app_quota (
  id              smallint primary key default 1 check (id = 1),
  tasks           bigint check (tasks > 0),
  adds_per_minute bigint check (adds_per_minute > 0),
  bytes           bigint check (bytes > 0)
);

-- What each app takes, as the master counted it last. It counts each second, or less often where that takes long.
create table twinbell.app_usage (
  app   text primary key,
  tasks bigint not null,
  adds  bigint not null,
  bytes bigint not null
);

create function twinbell.adds_of_last_minute(of_app text) returns bigint
  language plpgsql stable
as $$
declare
  -- A variable, so that only the days since then are searched.
  since constant timestamptz := clock_timestamp() - interval '1 minute';
begin
  return (select coalesce(sum(e.items), 0) from twinbell.audit_entry e
          where e.app = of_app and e.at > since and e.kind = 'TASK' and e.act = 'CREATE');
end $$;

create function twinbell.refuse_over_quota(key text, of_app text, most bigint, unit text, present bigint, more bigint) returns void
  language plpgsql
as $$
begin
  if present + more > most then
    raise exception using errcode = '54T01',
      message = format('%s allows app "%s" %s %s; it has %s, and this adds %s', key, of_app, most, unit, greatest(present, 0), more);
  end if;
end $$;

-- Compares what an app would have with its quotas. The new rows and their entries in the audit exist already. Near the quota,
-- and for an app that was not counted yet, it counts exactly. Otherwise the last count is close enough, and costs one row.
create function twinbell.check_quotas(quota twinbell.app_quota, of_app text, new_tasks bigint, new_bytes bigint) returns void
  language plpgsql
as $$
declare
  few constant bigint := 1000;
  near constant numeric := 0.9;
  used twinbell.app_usage;
  present bigint;
begin
  select * into used from twinbell.app_usage u where u.app = of_app;
  if new_tasks > 0 and quota.tasks is not null then
    present := used.tasks;
    if present is null or quota.tasks <= few or present + new_tasks > near * quota.tasks then
      select count(*) - new_tasks into present
      from (select from twinbell.task t where t.app = of_app limit quota.tasks + new_tasks + 1) as counted;
    end if;
    perform twinbell.refuse_over_quota('quotas.tasks', of_app, quota.tasks, 'tasks', present, new_tasks);
  end if;
  if new_tasks > 0 and quota.adds_per_minute is not null then
    present := used.adds;
    if present is null or quota.adds_per_minute <= few or present + new_tasks > near * quota.adds_per_minute then
      present := twinbell.adds_of_last_minute(of_app) - new_tasks;
    end if;
    perform twinbell.refuse_over_quota('quotas.addsPerMinute', of_app, quota.adds_per_minute, 'new tasks a minute', present,
      new_tasks);
  end if;
  if new_bytes > 0 and quota.bytes is not null then
    present := used.bytes;
    if present is null then
      select sum(pg_column_size(t.definition)) - new_bytes into present from twinbell.task t where t.app = of_app;
    end if;
    perform twinbell.refuse_over_quota('quotas.megabytes', of_app, quota.bytes, 'bytes of definitions', present, new_bytes);
  end if;
end $$;

create function twinbell.check_quotas_of_added() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  quota twinbell.app_quota;
begin
  select * into quota from twinbell.app_quota;
  if found then
    perform twinbell.check_quotas(quota, a.app, a.tasks, a.bytes)
    from (select app, count(*) as tasks, sum(pg_column_size(definition)) as bytes from added group by app) as a;
  end if;
  return null;
end $$;
-- Its name makes it run after the trigger that enters the audit.
create trigger quotas_of_added after insert on twinbell.task referencing new table as added
  for each statement execute function twinbell.check_quotas_of_added();

create function twinbell.check_quotas_of_changed() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  quota twinbell.app_quota;
begin
  select * into quota from twinbell.app_quota;
  if found then
    perform twinbell.check_quotas(quota, c.app, c.tasks, c.bytes)
    from (
      select a.app, count(*) filter (where a.app <> b.app) as tasks,
             sum(pg_column_size(a.definition) - pg_column_size(b.definition)) as bytes
      from after_it a join before_it b using (id) group by a.app
    ) as c;
  end if;
  return null;
end $$;
create trigger quotas_of_changed after update on twinbell.task referencing old table as before_it new table as after_it
  for each statement execute function twinbell.check_quotas_of_changed();

-- Counts what each app takes. Returns how many apps have reached a quota.
create function twinbell.count_app_usage() returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  since constant timestamptz := clock_timestamp() - interval '1 minute';
begin
  insert into twinbell.app_usage as u (app, tasks, adds, bytes)
  select t.app, t.tasks, coalesce(a.adds, 0), t.bytes
  from (select app, count(*) as tasks, sum(pg_column_size(definition)) as bytes from twinbell.task group by app) as t
    left join (select e.app, sum(e.items) as adds from twinbell.audit_entry e
               where e.at > since and e.kind = 'TASK' and e.act = 'CREATE' group by e.app) as a on a.app = t.app
  order by t.app
  on conflict (app) do update set tasks = excluded.tasks, adds = excluded.adds, bytes = excluded.bytes
    where (u.tasks, u.adds, u.bytes) is distinct from (excluded.tasks, excluded.adds, excluded.bytes);
  delete from twinbell.app_usage u where not exists (select from twinbell.task t where t.app = u.app);
  return (select count(*) from twinbell.app_usage u, twinbell.app_quota q
          where u.tasks >= q.tasks or u.adds >= q.adds_per_minute or u.bytes >= q.bytes);
end $$;
