-- An IPv4 address is written as every program reads it. A number with a leading zero is decimal for the JDK and octal for
-- some proxies, and hexadecimal numbers are refused by the JDK, but only when the host is called. The last number may stand
-- for several bytes. HttpUrl says the same.
create or replace function twinbell.refuse_host(authority text) returns void
  language plpgsql
as $$
declare
  advice constant text := 'a host name consists of letters, digits, "-", "_" and single dots';
  shown constant text := left(to_json(authority)::text, 200);
  host text := split_part(authority, ':', 1);
  port text := substr(authority, length(host) + 2);
  address text;
  numbers text[];
begin
  if authority like '[%' then
    address := substring(authority from '^\[([^]]*)\](?::.*)?$');
    port := substring(authority from '^\[[^]]*\]:(.*)$');
    if address is null or address !~ '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$' or address like '%:::%' or address like '%::%::%'
      or address not like '%::%' and length(address) - length(replace(address, ':', ''))
        <> (case when address like '%.%' then 6 else 7 end) then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), 'write an IPv6 address as in [::1]');
    end if;
  elsif host = '' then
    perform twinbell.refuse('handler.url has no host', 'write http://HOST/PATH');
  elsif host ~ '(^\.|\.\.)' then
    perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
  elsif host ~ '[\u00df\u03c2\u200c\u200d]' then
    perform twinbell.refuse(format('handler.url has a host with a character that standards convert in different ways: %s', shown),
      'write the ASCII form of the host, xn--…');
  elsif host !~ '[^\u0001-\u007f]' then
    host := regexp_replace(host, '\.$', '');
    if length(host) > 253 or exists (select 1 from unnest(string_to_array(host, '.')) as label where label !~ '^[A-Za-z0-9_-]{1,63}$') then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
    elsif host ~ '^(0[xX][0-9A-Fa-f]*|[0-9]+)(\.(0[xX][0-9A-Fa-f]*|[0-9]+))*$' then
      numbers := string_to_array(host, '.');
      if cardinality(numbers) > 4 or exists (
          select 1 from unnest(numbers) with ordinality as n(number, place)
          where case when n.number !~ '^(0|[1-9][0-9]{0,9})$' then true
                else n.number::numeric >= 256 ^ (case when n.place = cardinality(numbers) then 5 - n.place else 1 end) end) then
        perform twinbell.refuse(format('handler.url has an invalid IPv4 address: %s', shown),
          'write four decimal numbers without leading zeros, such as 127.0.0.1');
      end if;
    end if;
  end if;
  if port <> '' and (port !~ '^0*[1-9][0-9]{0,4}$' or port::numeric > 65535) then
    perform twinbell.refuse(format('handler.url has an invalid port: %s', left(port, 20)), 'a port is a number from 1 to 65535');
  end if;
end $$;
