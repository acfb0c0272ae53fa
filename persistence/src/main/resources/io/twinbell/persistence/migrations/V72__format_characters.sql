-- Characters that no new name, owner, tag or key has: control characters, line separators, and the format characters of
-- Unicode (category Cf), which nobody sees. The list is that of the class ControlCharacters. The joiners U+200C and U+200D
-- may stand between two characters from the Hebrew block on, because scripts and emoji need them there. Tasks that are
-- stored already are not checked again.
create or replace function twinbell.has_hidden_characters(line text) returns boolean
  language sql immutable parallel safe
as $$
  select line ~ ('[\u0001-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f'
      '\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3'
      '\U0001d173-\U0001d17a\U000e0000-\U000e007f]')
    or line ~ '[\u200c\u200d]'
      and line ~ ('(?<![\u0590-\u1fff\u2190-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\u1fff\u2190-\U0010ffff])')
$$;

create or replace function twinbell.refuse_line(field text, line text) returns void
  language plpgsql
as $$
begin
  if line is null then
    perform twinbell.refuse(format('%s is required', field));
  elsif length(line) not between 1 and 200 then
    perform twinbell.refuse(format('%s must have 1 to 200 characters, not %s', field, length(line)));
  elsif twinbell.has_hidden_characters(line) then
    perform twinbell.refuse(format('%s must not contain control characters', field),
      'line separators and invisible format characters such as U+200E and U+FEFF are control characters too');
  end if;
end $$;
