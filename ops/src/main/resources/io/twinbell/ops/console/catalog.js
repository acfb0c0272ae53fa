// The pages of what tasks share (limits, alerts, calendars, standing pauses), and of the audit.

import { get, send } from './api.js';
import { instant } from './format.js';
import { h } from './html.js';
import {
  badge, button, card, choice, field, filters, pager, table, time,
} from './parts.js';
import { act, link, may } from './shell.js';

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
      calendar.name, calendar.mode, calendar.zone || 'UTC', calendar.description || '–',
    ]), 'No calendar.')),
    card('Standing pauses', table('Standing pauses', ['Key', 'Reason', 'By', 'Since', 'Until'], pauses.items.map((pause) => [
      pause.key, pause.reason || '–', pause.by || '–', time(pause.since), pause.until ? time(pause.until) : 'resumed by hand',
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

const OUTCOMES = [['', 'any outcome'], ['DONE', 'done'], ['REFUSED', 'refused']];

const audit = {
  title: 'Audit',
  every: 10_000,
  load: ({ app, actor, kind, object, outcome, after }) => get('/api/v1/audit', { app, actor, kind, object, outcome, after, limit: 50 }),
  show: (list, parameters) => [
    h('h1', {}, 'Audit'),
    filters(parameters, field(parameters, 'actor', 'Who', 'search'), field(parameters, 'app', 'App'),
      field(parameters, 'kind', 'Kind, such as TASK'), field(parameters, 'object', 'Id or key'), choice(parameters, 'outcome', 'Outcome', OUTCOMES)),
    table('Audit', ['When', 'Who', 'Act', 'What', 'Outcome', 'Values'], list.items.map((entry) => [
      time(entry.at), [entry.actor, h('div', { class: 'quiet' }, [entry.channel, entry.address].filter(Boolean).join(' from '))],
      `${entry.act} ${entry.kind}`, entry.name ? `${entry.app ? `${entry.app} / ` : ''}${entry.name}` : entry.object || '–',
      [badge(entry.outcome), entry.items > 1 && ` ${entry.items} items`],
      entry.before || entry.after || entry.detail
        ? h('details', { id: `entry-${entry.id}` }, h('summary', { 'aria-label': `Values at ${instant(entry.at)}` }, 'Show'), entry.detail && h('p', {}, entry.detail),
          entry.before && h('pre', { tabindex: 0 }, `before\n${JSON.stringify(entry.before, null, 2)}`),
          entry.after && h('pre', { tabindex: 0 }, `after\n${JSON.stringify(entry.after, null, 2)}`)) : '–',
    ]), 'No entry matches.'),
    pager(parameters, list.next),
  ],
};

export const CATALOG = [[/^\/rules$/, rules], [/^\/alerts\/(?<name>[^/]+)$/, alert], [/^\/audit$/, audit]];
