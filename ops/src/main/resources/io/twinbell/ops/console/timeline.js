// The timeline: what ran in the last hours, what fires in the next ones, and where fires collide.

import { get } from './api.js';
import { duration, instant } from './format.js';
import { h } from './html.js';
import {
  badge, card, choice, empty, executionLink, field, filters, table, taskLink,
} from './parts.js';
import { caller } from './shell.js';

const HOUR = 3_600_000;
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
    h('svg', { class: marks ? 'chart planned' : 'chart', viewBox: '0 0 1200 140', preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
      result.map((bin, i) => bin.total > 0 && h('g', {},
        h('title', {}, `${instant(new Date(bin.at).toISOString())}: ${bin.total}${bin.bad ? `, ${bin.bad} of them not in order` : ''}`),
        h('rect', { class: 'all', x: i * step, y: 140 - 136 * bin.total / highest, width: Math.max(1, step - 1.5), height: 136 * bin.total / highest }),
        bin.bad > 0 && h('rect', { class: 'bad', x: i * step, y: 140 - Math.max(4, 136 * bin.bad / highest), width: Math.max(1, step - 1.5), height: Math.max(4, 136 * bin.bad / highest) }))),
      marks?.map((at) => h('rect', { class: 'mark', x: 1200 * (at - from) / (until - from), y: 0, width: 3, height: 140 }))),
    h('p', { class: 'axis', 'aria-hidden': 'true' }, [0, 1, 2, 3, 4].map((part) => h('span', {}, label(from + (until - from) * part / 4)))),
    h('p', { class: 'quiet' }, `Each bar stands for ${duration(width).replace(/\u00a00\u00a0s$/, '')}; the highest is ${highest}.`),
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

function next({ upcoming }, time) {
  const [now, until, complete] = [upcoming.now, upcoming.until, upcoming.completeUntil].map((at) => Date.parse(at));
  const fires = upcoming.minutes.reduce((sum, minute) => sum + minute.fires, 0);
  const busiest = [...upcoming.minutes].sort((a, b) => b.fires - a.fires)[0];
  const collisions = upcoming.minutes.filter((minute) => minute.peakFires > 1).sort((a, b) => b.peakFires - a.peakFires).slice(0, 10);
  const names = (minute) => [minute.first.map((task, i) => [i > 0 && ', ', taskLink(task)]), minute.fires > minute.first.length && ' …'];
  return [
    card('Planned fires',
      h('p', { class: 'answer' }, String(fires), h('span', { class: 'detail' }, ` fires of ${upcoming.tasks} ${upcoming.tasks === 1 ? 'task' : 'tasks'}${busiest ? `; most in the minute of ${instant(busiest.at)}: ${busiest.fires}` : ''}`)),
      complete < until && h('p', { class: 'banner' }, `Counted until ${instant(upcoming.completeUntil)} only: there are more tasks or fires than one answer counts.`),
      fires > 0 ? chart(`${fires} fires planned until ${instant(upcoming.completeUntil)}`, now - (now % 60_000), complete,
        upcoming.minutes.map((minute) => ({ at: Date.parse(minute.at), count: minute.fires })), upcoming.clockChanges.map((change) => Date.parse(change.at)))
        : empty('No task fires in this span.'),
      upcoming.clockChanges.map((change) => h('p', { class: 'banner' }, h('strong', {}, 'Clock change'), ` in ${change.zone} at ${instant(change.at)}: from ${change.offsetBefore} to ${change.offsetAfter}.`))),
    card('Collisions', h('p', { class: 'quiet' }, 'Instants at which most tasks fire together. Jitter or other minutes spread them.'),
      table('Collisions', ['At', 'Together', 'In the minute', 'First tasks'], collisions.map((minute) => [instant(minute.peakAt), String(minute.peakFires), String(minute.fires), names(minute)]), 'No two tasks fire at the same instant.')),
    card(time ? `Minutes from ${time}` : 'Next minutes', table('Next minutes', ['Minute', 'Fires', 'Tasks'], minutesFrom(upcoming, time).map((minute) => [instant(minute.at), String(minute.fires), names(minute)]),
      time ? `No fire is counted from ${time} on. Choose a longer span, or one app.` : 'No task fires in this span.')),
  ];
}

const isBad = (of) => ['FAILED', 'TIMED_OUT', 'MISSED', 'DROPPED'].includes(of.state) || of.latenessMillis > LATE;

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
  const late = ran.items.filter((of) => of.latenessMillis > LATE).sort((a, b) => b.latenessMillis - a.latenessMillis).slice(0, 10);
  return [
    card('What ran', data.activity?.items.length ? ranByMinutes(data) : ranByExecutions(data)),
    h('div', { class: 'lead' },
      card('Started late', ran.next && h('p', { class: 'quiet' }, `Among the latest ${ran.items.length} executions.`), table('Late', ['Fire time', 'Task', 'Late by'], late.map((of) => [executionLink(of), taskLink(of), duration(of.latenessMillis)]), 'Nothing started more than 1 s late.')),
      card('Missed, skipped or dropped', table('Missed', ['Fire time', 'Task', 'State', 'Slots'], missed.items.map((of) => [executionLink(of), taskLink(of), badge(of.state), String(of.slots ?? 1)]), 'No slot was missed, skipped or dropped.'))),
  ];
}

/** A time of day such as 03:00, in the zone of the page. */
const timeOf = ({ time }) => (/^([01]\d|2[0-3]):[0-5]\d$/.test(time || '') ? time : null);

const timeline = {
  title: 'Timeline',
  every: 15_000,
  async load({ app, hours, back }) {
    const now = Date.now();
    const from = Math.floor((now - HOUR * (Number(back) || 1)) / 60_000) * 60_000;
    // The node's clock counts; a browser whose clock is ahead must not ask beyond a day.
    const until = hours && new Date(now + HOUR * Math.min(24, Number(hours)) - 60_000).toISOString();
    const span = { app, brief: true, from: new Date(from).toISOString(), until: new Date(now).toISOString() };
    // Activity is kept by minute for the whole pair, not by app: tokens that are bound to apps may not read it. Its span is 24 hours at most.
    const activity = app || caller.session.apps.length ? null : await get('/api/v1/cluster/activity', { from: new Date(Math.max(from, now - 24 * HOUR)).toISOString(), until: span.until }).catch(() => null);
    const [upcoming, ran, missed] = await Promise.all([
      get('/api/v1/schedules/upcoming', { app, until }),
      get('/api/v1/executions', { ...span, limit: activity?.items.length ? LATEST : RAN }),
      get('/api/v1/executions', { ...span, limit: TROUBLE, state: 'MISSED,SKIPPED,DROPPED' }),
    ]);
    return { upcoming, ran, missed, activity, from, now };
  },
  show: (data, parameters) => [
    h('h1', {}, 'Timeline'),
    filters(parameters, choice(parameters, 'hours', 'Ahead', SPANS), choice(parameters, 'back', 'Back', BACK), field(parameters, 'app', 'App', 'search'),
      h('label', { id: 'field-time' }, 'Minutes from', h('input', { type: 'time', name: 'time', value: timeOf(parameters) || '' }))),
    next(data, timeOf(parameters)), last(data),
  ],
};

export const TIMELINE = [[/^\/timeline$/, timeline]];
