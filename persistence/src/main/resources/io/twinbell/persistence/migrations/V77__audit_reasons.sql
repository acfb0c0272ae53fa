-- The reason that a request gives goes into each entry of its transactions. It is the default of a column, so that no trigger
-- has to name it. As with the author, only sessions of nodes and of the owner are believed.
create function twinbell.audit_reason() returns text
  language sql stable
as $$
  select case when pg_has_role(session_user, current_user, 'USAGE') or twinbell.is_node(session_user)
    then left(nullif(current_setting('twinbell.actor', true), '')::jsonb ->> 'reason', 500) end
$$;
revoke all on function twinbell.audit_reason() from public;
alter table twinbell.audit_entry alter column detail set default twinbell.audit_reason();
