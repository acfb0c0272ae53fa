// The timeline: what ran in the last hours, what fires in the next ones, and where fires collide.

import { get } from './api.js';
import { count, duration, instant } from './format.js';
import { h } from './html.js';
import {
  badge, card, choice, empty, executionLink, field, filters, plot, table, taskLink,
} from './parts.js';
import { caller, link } from './shell.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** One answer covers only so much; the rest of the span is read in further ones, and more rarely. */
const MOST_PAGES = 12;
const REST_EVERY = 300_000;
const MOST_TASKS = 2000;
const MOST_NAMED = 1000;
const MINUTES_SHOWN = 8;
const SPANS = [['', 'next 6 hours'], ['1', 'next hour'], ['12', 'next 12 hours'], ['24', 'next 24 hours']];
const BACK = [['', 'last hour'], ['6', 'last 6 hours'], ['24', 'last 24 hours']];
const MOST_BARS = 120;
/** With a filter by app, what ran is counted from executions; without one, from the minutes that the masters recorded. */
const RAN = 2000;
const LATEST = 500;
const TROUBLE = 50;
const LATE = 1000;

/** Sums values into at most 120 equal parts of a span. */
function bins(from, until, values) {
  const width = Math.max(60_000, Math.ceil((until - from) / MOST_BARS / 60_000) * 60_000);
  const result = Array.from({ length: Math.ceil((until - from) / width) }, (_, i) => ({ at: from + i * width, total: 0, bad: 0 }));
  for (const { at, count, bad } of values) {
    const bin = result[Math.floor((at - from) / width)];
    if (bin) {
      bin.total += count;
      bin.bad += bad || 0;
    }
  }
  return { width, result };
}

/** Bars over time, with lines where something happens, and the words of the same for those who do not see it. */
function chart(words, from, until, values, marks) {
  const { width, result } = bins(from, until, values);
  const highest = Math.max(1, ...result.map((bin) => bin.total));
  const label = (at) => instant(new Date(at).toISOString()).slice(11, 16);
  const step = 1200 / result.length;
  return [
    plot(count(highest), h('svg', { class: marks ? 'chart planned' : 'chart', viewBox: '0 0 1200 140', preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
      result.map((bin, i) => bin.total > 0 && h('g', {},
        h('title', {}, `${instant(new Date(bin.at).toISOString())}: ${bin.total}${bin.bad ? `, ${bin.bad} of them not in order` : ''}`),
        h('rect', { class: 'all', x: i * step, y: 140 - 136 * bin.total / highest, width: Math.max(1, step - 1.5), height: 136 * bin.total / highest }),
        bin.bad > 0 && h('rect', { class: 'bad', x: i * step, y: 140 - Math.max(4, 136 * bin.bad / highest), width: Math.max(1, step - 1.5), height: Math.max(4, 136 * bin.bad / highest) }))),
      marks?.map((at) => h('rect', { class: 'mark', x: 1200 * (at - from) / (until - from), y: 0, width: 3, height: 140 }))),
    [0, 1, 2, 3, 4].map((part) => label(from + (until - from) * part / 4))),
    h('p', { class: 'quiet' }, `Each bar stands for ${duration(width).replace(/\u00a00\u00a0s$/, '')}.`),
  ];
}

/** The next minutes, or those from a time of day on, today or tomorrow. */
function minutesFrom({ now, minutes }, time) {
  if (!time) return minutes.slice(0, MINUTES_SHOWN);
  const isToday = instant(now).slice(11, 16) <= time;
  const day = instant(isToday ? now : new Date(Date.parse(now) + 24 * HOUR).toISOString()).slice(0, 10);
  const first = minutes.findIndex((minute) => instant(minute.at).slice(0, 16) >= `${day} ${time}`);
  return first < 0 ? [] : minutes.slice(first, first + MINUTES_SHOWN);
}

/** The link that shows all tasks of a minute. */
function minuteLink(at, { app, hours, back, time }) {
  const query = new URLSearchParams(Object.entries({ app, hours, back, time, minute: at }).filter(([, value]) => value));
  return link(`/timeline?${query}`, h('span', { class: 'whole' }, instant(at)));
}

const firesOf = ({ fires, paused }) => [count(fires), paused > 0 && h('span', { class: 'quiet' }, ` and ${count(paused)} paused`)];
const names = (minute) => [minute.first.map((task, i) => [i > 0 && ', ', taskLink(task)]), minute.isMore && ' …'];

/** The load after the counted minutes, if too many tasks fire: a task that fires again counts once. */
function beyond({ nextFires, completeUntil, until }) {
  if (!nextFires.length) return null;
  const values = nextFires.map((minute) => ({ at: Math.max(Date.parse(minute.at), Date.parse(completeUntil)), count: minute.tasks }));
  const all = values.reduce((sum, { count: tasks }) => sum + tasks, 0);
  const most = nextFires.reduce((a, b) => (b.tasks > a.tasks ? b : a));
  const words = `${count(all)} tasks have their next fire from ${instant(completeUntil)} until ${instant(until)}`;
  return card('Beyond', h('p', { class: 'quiet' }, `${words}; most in the minute of ${instant(most.at)}: ${count(most.tasks)}. A task counts once here, also if it fires again, and pauses are not considered.`),
    chart(words, Date.parse(completeUntil), Date.parse(until), values, []));
}

/** What the counts leave out. */
function leftOut({ upcoming, rest }, paused, { app }) {
  const pauses = upcoming.pauses.map((pause) => `${pause.key ?? 'all firing'}${pause.until ? ` until ${instant(pause.until)}` : ''}${pause.reason ? ` (${pause.reason})` : ''}`);
  return [
    pauses.length > 0 && h('p', { class: 'banner' }, h('strong', {}, `${count(paused)} ${paused === 1 ? 'fire is' : 'fires are'} paused`), ` and not counted: ${pauses.join('; ')}. `, link('/rules', 'Standing pauses')),
    rest.isBounded && h('p', { class: 'banner' }, h('strong', {}, `Looked until ${instant(rest.completeUntil)} only. `),
      rest.nextFires.length ? `More than ${count(MOST_TASKS)} tasks fire in this span. ` : 'There are more fires than this page counts. ', !app && 'Choose one app to see further. ', 'The command twinbell forecast counts all.'),
  ];
}

function next(data, parameters, time) {
  const { upcoming, rest } = data;
  const [now, complete] = [upcoming.now, rest.completeUntil].map((at) => Date.parse(at));
  const { minutes } = rest;
  const [fires, paused] = ['fires', 'paused'].map((name) => minutes.reduce((sum, minute) => sum + minute[name], 0));
  const busiest = minutes.reduce((most, minute) => (minute.fires > (most?.fires ?? 0) ? minute : most), null);
  const collisions = minutes.filter((minute) => minute.peakFires > 1).sort((a, b) => b.peakFires - a.peakFires || (a.at < b.at ? -1 : 1)).slice(0, 10);
  return [
    card('Planned fires',
      h('p', { class: 'answer' }, count(fires), h('span', { class: 'detail' }, ` ${fires === 1 ? 'fire' : 'fires'} of ${count(upcoming.tasks)} ${upcoming.tasks === 1 ? 'task' : 'tasks'}${rest.isBounded ? ` until ${instant(rest.completeUntil)}` : ''}`,
        busiest && ['; most in the minute of ', minuteLink(busiest.at, parameters), `: ${count(busiest.fires)}`])),
      leftOut(data, paused, parameters),
      fires > 0 ? chart(`${fires} fires planned until ${instant(rest.completeUntil)}`, now - (now % MINUTE), complete,
        minutes.map((minute) => ({ at: Date.parse(minute.at), count: minute.fires })), upcoming.clockChanges.map((change) => Date.parse(change.at)))
        : empty(rest.isBounded ? `No task fires until ${instant(rest.completeUntil)}.` : 'No task fires in this span.'),
      h('p', { class: 'quiet' }, 'Tasks that are paused by themselves, finished or in error are left out.'),
      upcoming.clockChanges.map((change) => h('p', { class: 'banner' }, h('strong', {}, 'Clock change'), ` in ${change.zone} at ${instant(change.at)}: from ${change.offsetBefore} to ${change.offsetAfter}.`))),
    beyond(rest),
    card('Collisions', h('p', { class: 'quiet' }, 'Instants at which most tasks fire together. Jitter or other minutes spread them. A minute shows all its tasks.'),
      table('Collisions', ['Minute', 'At', 'Together', 'In the minute', 'First tasks'], collisions.map((minute) => [minuteLink(minute.at, parameters), h('span', { class: 'whole' }, instant(minute.peakAt).slice(11)), count(minute.peakFires), firesOf(minute), names(minute)]), rest.isBounded ? 'None is counted.' : 'No two tasks fire at the same instant.')),
    card(time ? `Minutes from ${time}` : 'Next minutes', table('Next minutes', ['Minute', 'Fires', 'First tasks'], minutesFrom({ now: upcoming.now, minutes }, time).map((minute) => [minuteLink(minute.at, parameters), firesOf(minute), names(minute)]),
      time ? `No fire is counted from ${time} on. Choose a longer span, or one app.` : rest.isBounded ? 'None is counted.' : 'No task fires in this span.')),
  ];
}

/** All tasks of the minute that the reader opened. */
function opened({ minute, opened: of }, parameters) {
  if (!minute) return null;
  const close = new URLSearchParams(Object.entries({ ...parameters, minute: '' }).filter(([, value]) => value));
  const found = of?.minutes[0];
  return card(`The minute of ${instant(minute)}`,
    of === null ? empty('This minute has passed, or is more than a day away.')
      : [table('Tasks of the minute', ['First fire', 'Task', 'Fires in the minute'], (found?.first || []).map((task) => [
        h('span', { class: 'whole' }, instant(task.at)), taskLink(task), [count(task.fires), task.paused && [' ', badge('PAUSED')]],
      ]), 'No task fires in this minute.'),
      found && (found.first.length === MOST_NAMED || of.completeUntil < of.until) && h('p', { class: 'quiet' }, `The first ${count(found.first.length)} tasks.`)],
    h('p', {}, link(`/timeline${close.size ? `?${close}` : ''}`, 'Close the minute')));
}

const isBad = (of) => ['FAILED', 'TIMED_OUT', 'MISSED', 'DROPPED'].includes(of.state) || (of.latenessMillis > LATE && of.attempt === 1);

/** What ran by executions: the latest only, if there are too many. */
function ranByExecutions({ ran, from, now }) {
  const covered = ran.next ? Math.max(from, Date.parse(ran.items[ran.items.length - 1].fireTime)) : from;
  return [
    ran.next && h('p', { class: 'banner' }, `The latest ${ran.items.length} executions, since ${instant(new Date(covered).toISOString())}. Metrics cover all.`),
    ran.items.length ? chart(`${ran.items.length} executions, ${ran.items.filter(isBad).length} of them failed, missed, dropped or late`, covered, Math.max(now, covered + 60_000),
      ran.items.map((of) => ({ at: Date.parse(of.fireTime), count: 1, bad: isBad(of) ? 1 : 0 }))) : empty('Nothing ran in this span.'),
    h('p', { class: 'legend parts' }, h('span', { class: 'part firstfire' }, 'in order'), h('span', { class: 'part fence' }, 'failed, missed, dropped, or more than 1 s late')),
  ];
}

function ranByMinutes({ activity, from, now }) {
  const minutes = activity.items.map((of) => ({ at: Date.parse(of.minute), count: of.succeeded + of.failed + of.cancelled + of.notRun, bad: of.failed + of.notRun }));
  const [all, bad] = ['count', 'bad'].map((name) => minutes.reduce((sum, minute) => sum + minute[name], 0));
  return [
    all > 0 ? chart(`${all} executions ended, ${bad} of them failed or did not run`, from, now, minutes) : empty('Nothing ran in this span.'),
    h('p', { class: 'legend parts' }, h('span', { class: 'part firstfire' }, 'in order'), h('span', { class: 'part fence' }, 'failed, skipped, missed or dropped')),
  ];
}

function last(data) {
  const { ran, missed } = data;
  const late = ran.items.filter((of) => of.latenessMillis > LATE && of.attempt === 1).sort((a, b) => b.latenessMillis - a.latenessMillis).slice(0, 10);
  return [
    card('What ran', data.activity?.items.length ? ranByMinutes(data) : ranByExecutions(data)),
    h('div', { class: 'lead' },
      card('Started late', ran.next && h('p', { class: 'quiet' }, `Among the latest ${ran.items.length} executions.`), table('Late', ['Fire time', 'Task', 'Late by'], late.map((of) => [executionLink(of), taskLink(of), duration(of.latenessMillis)]), 'Nothing started more than 1 s late.')),
      card('Missed, skipped or dropped', table('Missed', ['Fire time', 'Task', 'State', 'Slots'], missed.items.map((of) => [executionLink(of), taskLink(of), badge(of.state), String(of.slots ?? 1)]), 'No slot was missed, skipped or dropped.'))),
  ];
}

/** A time of day such as 03:00, in the zone of the page. */
const timeOf = ({ time }) => (/^([01]\d|2[0-3]):[0-5]\d$/.test(time || '') ? time : null);

/** A minute of the address, as an instant; null if it is none. */
function minuteOf({ minute }) {
  const at = Date.parse(minute || '');
  return Number.isNaN(at) ? null : new Date(at - (at % MINUTE)).toISOString();
}

let known = { key: null, at: 0, pages: [] };

/** The answers that continue the first one, up to the end of the span or the bound of this page. */
async function readRest(first, app, until) {
  const pages = [];
  for (let page = first; page.completeUntil < until && pages.length < MOST_PAGES;) {
    const from = page.completeUntil;
    page = await get('/api/v1/schedules/upcoming', { app, from, until });
    if (page.completeUntil <= from) break;
    pages.push(page);
  }
  return pages;
}

/** The minutes of all answers in order, until when they are complete, and the load after that. */
async function wholeSpan(first, app, hours) {
  const key = `${app}|${hours}`;
  if (first.completeUntil < first.until && (known.key !== key || Date.now() - known.at > REST_EVERY)) {
    known = { key, at: Date.now(), pages: await readRest(first, app, first.until) };
  }
  const pages = [first, ...(first.completeUntil < first.until ? known.pages : [])];
  const minutes = new Map();
  for (const page of pages) {
    for (const minute of page.minutes) {
      const isMore = minute.first.reduce((sum, task) => sum + task.fires, 0) < minute.fires + minute.paused;
      if (!minutes.has(minute.at)) minutes.set(minute.at, { ...minute, isMore });
    }
  }
  const { completeUntil, until, nextFires } = pages[pages.length - 1];
  return {
    minutes: [...minutes.values()], completeUntil, until, nextFires, isBounded: completeUntil < until,
  };
}

const timeline = {
  title: 'Timeline',
  every: 15_000,
  async load({ app, hours, back, minute: asked }) {
    const now = Date.now();
    const from = Math.floor((now - HOUR * (Number(back) || 1)) / 60_000) * 60_000;
    // The node's clock counts; a browser whose clock is ahead must not ask beyond a day.
    const until = hours && new Date(now + HOUR * Math.min(24, Number(hours)) - 60_000).toISOString();
    const span = { app, brief: true, from: new Date(from).toISOString(), until: new Date(now).toISOString() };
    // Activity is kept by minute for the whole pair, not by app: tokens that are bound to apps may not read it. Its span is 24 hours at most.
    const activity = app || caller.session.apps.length ? null : await get('/api/v1/cluster/activity', { from: new Date(Math.max(from, now - 24 * HOUR)).toISOString(), until: span.until }).catch(() => null);
    const minute = minuteOf({ minute: asked });
    const [upcoming, of, ran, missed] = await Promise.all([
      get('/api/v1/schedules/upcoming', { app, until }),
      minute && get('/api/v1/schedules/upcoming', { app, from: minute, until: new Date(Date.parse(minute) + MINUTE).toISOString(), names: MOST_NAMED }).catch(() => null),
      get('/api/v1/executions', { ...span, limit: activity?.items.length ? LATEST : RAN }),
      get('/api/v1/executions', { ...span, limit: TROUBLE, state: 'MISSED,SKIPPED,DROPPED' }),
    ]);
    return {
      upcoming, rest: await wholeSpan(upcoming, app, hours), minute, opened: of, ran, missed, activity, from, now,
    };
  },
  show: (data, parameters) => [
    h('h1', {}, 'Timeline'),
    filters(parameters, choice(parameters, 'hours', 'Ahead', SPANS), choice(parameters, 'back', 'Back', BACK), field(parameters, 'app', 'App', 'search'),
      h('label', { id: 'field-time' }, 'Minutes from', h('input', { type: 'time', name: 'time', value: timeOf(parameters) || '' }))),
    opened(data, parameters), next(data, parameters, timeOf(parameters)), last(data),
  ],
};

export const TIMELINE = [[/^\/timeline$/, timeline]];
