-- What people decide about the role of master: that it stays where it is, or that it moves.

-- Automatic takeover put on hold. One row, so that whoever opens an epoch can lock it against somebody who is about to hold.
create table twinbell.takeover_hold (
  id         smallint primary key default 1 check (id = 1),
  held_at    timestamptz,
  held_until timestamptz,
  reason     text check (length(reason) <= 500),
  held_by    text check (length(held_by) <= 200)
) with (fillfactor = 50);
insert into twinbell.takeover_hold default values;

-- A request by hand names who should have the role, or nobody in particular. It also allows the move while takeovers are
-- on hold; not for long, so that one that came to nothing allows nothing later.
alter table twinbell.hand_over_request
  add column by_hand boolean not null default false,
  add column to_node text check (length(to_node) <= 200);

create function twinbell.move_by_hand(of_epoch bigint)
  returns table (to_node text, requested_by text, reason text)
  language sql volatile
  as $$
    select r.to_node, r.requested_by, r.reason from twinbell.hand_over_request r
    where r.epoch = of_epoch and r.by_hand and r.requested_at > clock_timestamp() - interval '30 seconds'
    order by r.id desc limit 1
  $$;
