-- The master rewrites definitions that were accepted already: when it first reads a task that was added by SQL, and when
-- defaults change. A quota must not stop that, so the master's transactions say that they are exempt. Other roles may say so
-- too, but they may not update tasks.
create or replace function twinbell.check_quotas_of_changed() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  quota twinbell.app_quota;
begin
  select * into quota from twinbell.app_quota;
  if found and coalesce(current_setting('twinbell.quotas', true), '') <> 'exempt' then
    perform twinbell.check_quotas(quota, c.app, c.tasks, c.bytes)
    from (
      select a.app, count(*) filter (where a.app <> b.app) as tasks,
             sum(pg_column_size(a.definition) - pg_column_size(b.definition)) as bytes
      from after_it a join before_it b using (id) group by a.app
    ) as c;
  end if;
  return null;
end $$;
