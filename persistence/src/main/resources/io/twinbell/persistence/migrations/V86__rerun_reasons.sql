-- A reason for a rerun has no character that nobody sees, as every other reason.
create or replace function twinbell.rerun_reason(reason text) returns text
  language plpgsql
as $$
begin
  if length(reason) > 500 then
    perform twinbell.refuse(format('reason must have at most 500 characters, not %s', length(reason)));
  elsif twinbell.has_hidden_characters(reason) then
    perform twinbell.refuse('reason must not contain control characters',
      'line separators and invisible characters such as U+200E and U+FEFF are control characters too');
  end if;
  return concat_ws(': ', 'run again by hand', reason);
end $$;
