// Writes instants, durations and counts for people.

const UTC = 'twinbell.utc';

export const usesUtc = () => localStorage.getItem(UTC) === 'yes';

export function setUtc(isUtc) {
  localStorage.setItem(UTC, isUtc ? 'yes' : 'no');
}

export function zoneName() {
  return usesUtc() ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "2026-03-29 02:30:00.000" in the reader's zone or in UTC; milliseconds only if there are any. */
export function instant(text) {
  if (!text) return '–';
  const date = new Date(text);
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en-GB', {
    timeZone: usesUtc() ? 'UTC' : undefined, hourCycle: 'h23',
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  }).formatToParts(date).map(({ type, value }) => [type, value]));
  const millis = date.getUTCMilliseconds();
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`
    + (millis ? `.${String(millis).padStart(3, '0')}` : '');
}

export function duration(millis) {
  if (millis === null || millis === undefined) return '–';
  const size = Math.abs(millis);
  if (size < 1000) return `${Math.round(millis * 10) / 10}\u00a0ms`;
  if (size < 60_000) return `${(millis / 1000).toFixed(1)}\u00a0s`;
  if (size < 3_600_000) return `${Math.floor(millis / 60_000)}\u00a0min\u00a0${Math.floor(size / 1000) % 60}\u00a0s`;
  if (size < 172_800_000) return `${Math.floor(millis / 3_600_000)}\u00a0h\u00a0${Math.floor(size / 60_000) % 60}\u00a0min`;
  return `${Math.floor(millis / 86_400_000)}\u00a0days`;
}

/** "1,000,124" */
export const count = (number) => number.toLocaleString('en-GB');

export function since(text) {
  const millis = Date.now() - Date.parse(text);
  return millis < 0 ? `in ${duration(-millis)}` : `${duration(millis)} ago`;
}

/** "2 min 5 s", in whole seconds. */
export function elapsed(startedAt, now) {
  const seconds = Math.max(0, Math.floor((now - Date.parse(startedAt)) / 1000));
  return seconds < 60 ? `${seconds}\u00a0s` : duration(seconds * 1000);
}

/** A sentence of the node, with its instants in UTC as times of the page's zone. */
export function withLocalTimes(text) {
  return text?.replace(/\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z| UTC)(?![\w/])/g,
    (found, day, time) => instant(`${day}T${time}Z`));
}

export const runMillis = (execution) => (execution.startedAt && execution.endedAt
  ? Date.parse(execution.endedAt) - Date.parse(execution.startedAt) : null);

/** The schedule of a task as one short text. */
export function schedule(of) {
  if (!of) return '–';
  if (of.cron) return `${of.cron}${of.zone ? ` (${of.zone})` : ''}`;
  if (of.every) return `every ${of.every}`;
  if (of.at) return `once at ${instant(of.at)}`;
  return JSON.stringify(of);
}

const UNITS = [['D', 'day'], ['H', 'hour'], ['M', 'minute'], ['S', 'second']];

/** "1 hour 30 minutes" for PT1H30M; the text itself if it is no simple duration. */
export function span(text) {
  const found = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text || '');
  const parts = found?.slice(1).map((count, i) => count && `${count} ${UNITS[i][1]}${count === '1' ? '' : 's'}`).filter(Boolean);
  return parts?.length ? parts.join(' ') : text;
}

/** The schedule as a list shows it: intervals in words. */
export function scheduleInWords(of) {
  if (of?.every) return `every ${span(of.every)}${of.mode === 'FIXED_DELAY' ? ' after each run' : ''}`;
  if (of?.in) return `once, ${span(of.in)} after the start`;
  if (of?.rrule) return of.rrule;
  return schedule(of);
}
