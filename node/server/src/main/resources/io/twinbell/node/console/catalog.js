// The pages of what tasks share (limits, alerts, calendars, standing pauses), and of the audit.

import { get, send } from './api.js';
import { mergePatch } from './fields.js';
import { instant, usesUtc, withLocalTimes, zoneName } from './format.js';
import { h } from './html.js';
import {
  badge, button, card, choice, empty, field, filters, pager, table, time,
} from './parts.js';
import { act, go, link, may } from './shell.js';

/** A pause of an app may be ended by an operator of that app, any other one by an operator of the pair. */
function endPause({ key }) {
  if (!may('OPERATE', key.startsWith('app:') ? key.slice(4) : 'pair')) return '–';
  return button('End', () => act('End this pause?', `The tasks of ${key} fire again from their next fire times on. Slots that passed meanwhile are skipped.`,
    (reason) => send('DELETE', `/api/v1/pauses/${encodeURIComponent(key)}?${new URLSearchParams({ reason })}`)));
}

const rules = {
  title: 'Rules',
  every: 10_000,
  async load() {
    const [limits, alerts, calendars, pauses] = await Promise.all([
      ...['limits', 'alerts', 'calendars'].map((list) => get(`/api/v1/${list}`, { limit: 100 })), get('/api/v1/pauses'),
    ]);
    return { limits, alerts, calendars, pauses };
  },
  show: ({ limits, alerts, calendars, pauses }) => [
    h('h1', {}, 'Limits, alerts, calendars and pauses'),
    card('Limits', table('Limits', ['Key', 'Running', 'Waiting', 'Rate'], limits.items.map((limit) => [
      limit.key, `${limit.running} of ${limit.maxRunning ?? 'any number'}`, String(limit.waiting), limit.rate ? JSON.stringify(limit.rate) : '–',
    ]), 'No limit.')),
    card('Alerts', table('Alerts', ['Name', 'State', 'Events', 'Description'], alerts.items.map((alert) => [
      link(`/alerts/${encodeURIComponent(alert.name)}`, alert.name), alert.enabled === false ? 'off' : 'on', (alert.on || []).join(', '), alert.description || '–',
    ]), 'No alert. Nobody is told when a task fails.')),
    card('Calendars', table('Calendars', ['Name', 'Mode', 'Zone', 'Description'], calendars.items.map((calendar) => [
      link(`/calendars/${encodeURIComponent(calendar.name)}`, calendar.name), calendar.mode, calendar.zone || 'UTC', calendar.description || '–',
    ]), 'No calendar.')),
    card('Standing pauses', table('Standing pauses', ['Key', 'Reason', 'By', 'Since', 'Until', 'Act'], pauses.items.map((pause) => [
      pause.key, pause.reason || '–', pause.by || '–', time(pause.since), pause.until ? time(pause.until) : 'resumed by hand', endPause(pause),
    ]), 'No standing pause.')),
    [limits, alerts, calendars].some((list) => list.next) && h('p', { class: 'quiet' }, 'The lists of limits, alerts and calendars show their first 100 entries.'),
  ],
};

const alert = {
  title: 'Alert',
  every: 5000,
  async load({ name }) {
    const path = `/api/v1/alerts/${encodeURIComponent(name)}`;
    const [of, deliveries] = await Promise.all([get(path), get(`${path}/deliveries`, { limit: 50 })]);
    return { of, deliveries, path };
  },
  show: ({ of, deliveries, path }) => [
    h('div', { class: 'head' }, h('h1', {}, of.name), may('EDIT', of.tasks?.app || 'pair') && h('div', { class: 'acts' },
      button('Send a test', () => act('Send a test?', 'The receiver gets one message that is marked as a test.', async () => {
        await send('POST', `${path}/test`);
        return 'The test is on its way. The deliveries below show its result.';
      }, false)))),
    of.description && h('p', { class: 'quiet' }, of.description),
    card('Deliveries', table('Deliveries', ['Created', 'State', 'Attempt', 'Node', 'Next attempt', 'Ended', 'Result'], deliveries.items.map((one) => [
      time(one.createdAt), badge(one.state), String(one.attempt), one.node || '–', one.dueAt ? time(one.dueAt) : '–', one.endedAt ? time(one.endedAt) : '–',
      h('span', { class: 'cut' }, one.error || one.output || ''),
    ]), 'Nothing was sent yet.'), deliveries.next && h('p', { class: 'quiet' }, 'The latest 50.')),
    card('Definition', h('pre', { tabindex: 0 }, JSON.stringify(of, null, 2))),
  ],
};

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const dayStart = (year, month, day) => (usesUtc() ? Date.UTC(year, month, day) : new Date(year, month, day).getTime());
const monthName = (year, month) => `${year}-${String(month + 1).padStart(2, '0')}`;

/** The month of the address, such as 2026-12, or this month; as [year, month from 0]. */
function monthOf(text) {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text || '');
  if (found) return [Number(found[1]), Number(found[2]) - 1];
  const now = new Date();
  return usesUtc() ? [now.getUTCFullYear(), now.getUTCMonth()] : [now.getFullYear(), now.getMonth()];
}

function dayCell(year, month, day, spans) {
  const from = dayStart(year, month, day);
  const until = dayStart(year, month, day + 1);
  const cut = spans.map((span) => [Math.max(from, Date.parse(span.from)), Math.min(until, Date.parse(span.until))]).filter(([start, end]) => start < end);
  const excluded = cut.reduce((sum, [start, end]) => sum + end - start, 0);
  const clock = (at) => (at === until ? '24:00' : instant(new Date(at).toISOString()).slice(11, 16));
  const kind = excluded === 0 ? 'free' : excluded === until - from ? 'all' : 'partly';
  return h('td', { class: kind }, h('strong', {}, String(day)),
    h('div', {}, kind === 'free' ? '' : kind === 'all' ? 'nothing fires' : cut.slice(0, 3).map(([start, end]) => h('div', {}, `not ${clock(start)}–${clock(end)}`)), cut.length > 3 && `and ${cut.length - 3} more`));
}

function monthTable(year, month, spans) {
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const lead = (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7;
  const cells = [...Array(lead).fill(null), ...Array.from({ length: days }, (_, i) => i + 1)];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, i) => cells.slice(i * 7, i * 7 + 7));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Month' }, h('table', { class: 'month' },
    h('caption', { class: 'hidden' }, `When nothing fires in ${monthName(year, month)}`),
    h('thead', {}, h('tr', {}, WEEKDAYS.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, weeks.map((week) => h('tr', {}, Array.from({ length: 7 }, (_, i) => (week[i] ? dayCell(year, month, week[i], spans) : h('td', {}))))))));
}

const calendar = {
  title: 'Calendar',
  every: 60_000,
  async load({ name, month: text }) {
    const path = `/api/v1/calendars/${encodeURIComponent(name)}`;
    const [year, month] = monthOf(text);
    const between = { from: new Date(dayStart(year, month, 1)).toISOString(), until: new Date(dayStart(year, month + 1, 1)).toISOString() };
    const [of, shown] = await Promise.all([get(path), get(`${path}/excluded`, between)]);
    return { of, shown, year, month };
  },
  show({ of, shown, year, month }, parameters) {
    const to = (months) => {
      const at = new Date(Date.UTC(year, month + months, 1));
      return () => go({ ...parameters, name: '', month: monthName(at.getUTCFullYear(), at.getUTCMonth()) });
    };
    const { count, some } = shown.usedBy;
    return [
      h('h1', {}, of.name),
      h('p', { class: 'quiet' }, `${of.mode === 'ALLOW' ? 'Tasks fire only within its times.' : 'Tasks do not fire within its times.'} Its wall clock is ${of.zone || 'UTC'}; this page shows ${zoneName()}.`, of.description && ` ${of.description}`),
      card(monthName(year, month), h('div', { class: 'acts' }, button('Previous month', to(-1)), button('Next month', to(1))),
        monthTable(year, month, shown.excluded), Date.parse(shown.completeUntil) < Date.parse(shown.until) && h('p', { class: 'wrong' }, `There are too many spans: what is excluded after ${instant(shown.completeUntil)} is not shown.`)),
      card('Used by', count === 0 ? empty('No task or alert names this calendar.') : [
        h('ul', {}, some.map(({ taskId, app, name, alert }) => h('li', {}, alert ? ['alert ', link(`/alerts/${encodeURIComponent(alert)}`, alert)] : link(`/tasks/${taskId}`, `${app}/${name}`)))),
        count > some.length && h('p', { class: 'quiet' }, `And ${count - some.length} more.`)]),
      card('Definition', h('pre', { tabindex: 0 }, JSON.stringify({ ...of, source: undefined }, null, 2))),
    ];
  },
};

/** The values of an audit entry. If it has both, the members that differ come first. */
function values({ id, before, after }) {
  const pre = (name, of) => h('pre', { tabindex: 0 }, `${name}\n${JSON.stringify(of, null, 2)}`);
  const all = [before && pre('before', before), after && pre('after', after)];
  const changed = before && after && typeof before === 'object' && typeof after === 'object' && mergePatch(before, after);
  return changed ? [pre('changed, before', mergePatch(after, before)), pre('changed, after', changed),
    h('details', { id: `all-${id}` }, h('summary', {}, 'All values'), all)] : all;
}

/** The page of what an entry is about; null if there is none. */
function target({ kind, act: done, object }) {
  const isGone = done === 'REMOVE';
  switch (kind) {
    case 'TASK': return object && (isGone ? `/executions?task=${object}` : `/tasks/${object}`);
    case 'EXECUTION': {
      const [task, at] = (object || '').split('/');
      return at ? `/executions/${task}-${Date.parse(at)}` : null;
    }
    case 'ALERT': return isGone ? null : `/alerts/${encodeURIComponent(object)}`;
    case 'CALENDAR': return isGone ? null : `/calendars/${encodeURIComponent(object)}`;
    case 'LIMIT': case 'STANDING_PAUSE': return '/rules';
    case 'PAUSE': case 'HOLD': return '/';
    case 'ROLE': case 'PAIR': return '/cluster';
    default: return null;
  }
}

function what(entry) {
  const text = entry.name ? [entry.app && h('span', { class: 'app' }, `${entry.app} / `), entry.name] : entry.object || entry.app || (['PAUSE', 'HOLD'].includes(entry.kind) ? 'the pair' : '–');
  const path = target(entry);
  return path ? link(path, text) : text;
}

/** Of a refused attempt, why it was refused. */
const reasonOf = ({ detail, after }) => detail || (typeof after?.reason === 'string' && after.reason) || '';

const OUTCOMES = [['', 'any outcome'], ['DONE', 'done'], ['REFUSED', 'refused']];

const audit = {
  title: 'Audit',
  every: 10_000,
  load: ({ app, actor, kind, object, outcome, after }) => get('/api/v1/audit', { app, actor, kind, object, outcome, after, limit: 50 }),
  show: (list, parameters) => [
    h('h1', {}, 'Audit'),
    filters(parameters, field(parameters, 'actor', 'Who', 'search'), field(parameters, 'app', 'App'),
      field(parameters, 'kind', 'Kind, such as TASK'), field(parameters, 'object', 'Id or key'), choice(parameters, 'outcome', 'Outcome', OUTCOMES)),
    table('Audit', ['When', 'Who', 'Act', 'What', 'Outcome', 'Reason', 'Values'], list.items.map((entry) => [
      time(entry.at), [entry.actor, h('div', { class: 'quiet whole' }, [entry.channel, entry.address].filter(Boolean).join(' from '))],
      h('span', { class: 'whole' }, entry.act, h('div', { class: 'quiet' }, entry.kind)), what(entry),
      [badge(entry.outcome), entry.items > 1 && ` ${entry.items} items`],
      h('span', { class: 'cut', title: reasonOf(entry) }, withLocalTimes(reasonOf(entry))),
      entry.before || entry.after
        ? h('details', { id: `entry-${entry.id}` }, h('summary', { 'aria-label': `Show the values at ${instant(entry.at)}` }, 'Show'), values(entry)) : '–',
    ]), 'No entry matches.'),
    pager(parameters, list.next),
  ],
};

export const CATALOG = [[/^\/rules$/, rules], [/^\/calendars\/(?<name>[^/]+)$/, calendar], [/^\/alerts\/(?<name>[^/]+)$/, alert], [/^\/audit$/, audit]];
