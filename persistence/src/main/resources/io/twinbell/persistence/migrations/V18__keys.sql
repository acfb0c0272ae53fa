-- Whether two columns hold the same key of an execution. From 17 on it is said in such a way that the planner has no other
-- way than to look up both parts of the key in the index: for a plain comparison, where vacuum had found a partition empty,
-- a walk through its whole index for each row of a batch seems as cheap. Before 17 a comparison of that form with the second
-- column of an index may be left out of the look, so there it stays plain. The planner takes the text in place of a call.
do $$
declare
  comparison text := case when current_setting('server_version_num')::int >= 170000
                     then 'found = any(array[wanted])' else 'found = wanted' end;
begin
  execute 'create function twinbell.same(found bigint, wanted bigint) returns boolean'
    || ' language sql immutable parallel safe as $f$ select ' || comparison || ' $f$';
  execute 'create function twinbell.same(found timestamptz, wanted timestamptz) returns boolean'
    || ' language sql immutable parallel safe as $f$ select ' || comparison || ' $f$';
end $$;
