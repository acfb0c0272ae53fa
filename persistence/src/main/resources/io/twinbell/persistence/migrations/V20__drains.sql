-- Several masters may be finishing at once what they ran, where each node is stopped within the other's drain. The latest
-- of them has the columns that it always had, and those before it are kept here until their time is over. In the same row,
-- because a write that has waited for this row is judged by what the row says then, and by nothing else that is newer. A
-- build that does not know of these columns settles what all but the latest still run, as it did before.
alter table twinbell.epoch add column earlier_drains jsonb not null default '[]';

-- Whose outcomes are still taken besides the owner's.
create function twinbell.drains(e twinbell.epoch) returns table (epoch bigint, token uuid, until timestamptz)
  language sql volatile rows 1
as $$
  select e.draining_epoch, e.draining_token, e.draining_until where e.draining_until > clock_timestamp()
  union all
  select d.epoch, d.token, d.until
  from jsonb_to_recordset(e.earlier_drains) as d(epoch bigint, token uuid, until timestamptz)
  where d.until > clock_timestamp()
$$;
