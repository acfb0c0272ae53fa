-- Beside control and format characters, no new name has another character that nobody sees: the fillers of Hangul and
-- Khmer, U+034F, and the code points that Unicode keeps for more of them (Default_Ignorable_Code_Point). A variation
-- selector may stand where it has an effect: after a character from the Hebrew block on, after the few older signs
-- that have an emoji form, and in a keycap such as 1 U+FE0F U+20E3. The class ControlCharacters has the same list.
create or replace function twinbell.has_hidden_characters(line text) returns boolean
  language sql immutable parallel safe
as $$
  select line ~ ('[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160'
      '\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd'
      '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]')
    or line ~ '[\u200c\u200d]'
      and line ~ ('(?<![\u0590-\u1fff\u2190-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\u1fff\u2190-\U0010ffff])')
    or line ~ '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]'
      and regexp_replace(line, '[0-9#*]\ufe0f\u20e3', '', 'g')
        ~ ('(?<![\u00a9\u00ae\u0590-\u180a\u1810-\u1fff\u203c\u2049\u2122\u2139\u2190-\ufdff\ufe10-\U000e00ff])'
          '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]')
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
      'line separators and invisible characters such as U+200E and U+FEFF are control characters too');
  end if;
end $$;
