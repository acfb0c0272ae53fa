-- Enters attempts that were refused, as a node counted them: many of one client are one entry.
create function twinbell.audit_refusals(attempts jsonb) returns void
  language sql security definer
  set search_path = pg_catalog, pg_temp
as $$
  insert into twinbell.audit_entry (actor, channel, address, request, kind, act, outcome, detail, items)
  select left(a.actor, 300), a.channel, left(a.address, 100), left(a.request, 500), 'ACCESS', a.act, 'REFUSED', left(a.detail, 500),
         a.items
  from jsonb_to_recordset(attempts) as a(actor text, channel text, address text, request text, act text, detail text, items bigint)
$$;
revoke all on function twinbell.audit_refusals(jsonb) from public;
