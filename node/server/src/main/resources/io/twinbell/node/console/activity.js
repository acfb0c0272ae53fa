// What the pair did in the last hour, minute by minute, with a line at each change of the master.

import { count, duration, instant } from './format.js';
import { h } from './html.js';
import { card, empty, plot } from './parts.js';

const MINUTE = 60_000;
const MINUTES = 60;
const WIDTH = 1200;
const HEIGHT = 140;
const STEP = WIDTH / MINUTES;

const figure = (name, value) => h('div', { class: 'figure' }, h('span', { class: 'value' }, value), h('span', { class: 'name' }, name));
const clock = (at) => instant(new Date(at).toISOString()).slice(11, 16);
const most = (rows, name) => rows.reduce((highest, row) => (row[name] === null ? highest : Math.max(highest ?? 0, row[name])), null);
const sum = (rows, name) => rows.reduce((total, row) => total + row[name], 0);

/** One minute, of both masters if the role moved in it. Lateness is the worse of the two. */
function minuteOf(at, items) {
  const rows = items.filter((row) => Date.parse(row.minute) === at);
  const [claimed, succeeded, failed, cancelled, notRun] = ['claimed', 'succeeded', 'failed', 'cancelled', 'notRun'].map((name) => sum(rows, name));
  return { at, claimed, succeeded, failed, other: cancelled + notRun, ended: succeeded + failed + cancelled + notRun, p50: most(rows, 'latenessP50Millis'), p99: most(rows, 'latenessP99Millis') };
}

function words({ at, claimed, succeeded, failed, other, p50, p99 }) {
  return `${clock(at)}: ${count(claimed)} fires, ${count(succeeded)} succeeded, ${count(failed)} failed, ${count(other)} cancelled or not run`
    + (p50 === null ? '' : `, lateness ${duration(p50)} median, ${duration(p99)} p99`);
}

/** Outcomes from the bottom: succeeded, failed, others. */
function bar(minute, i, highest) {
  let y = HEIGHT;
  return h('g', {}, h('title', {}, words(minute)), [['all', minute.succeeded], ['bad', minute.failed], ['other', minute.other]].map(([tone, ended]) => {
    const height = ended > 0 ? Math.max(2, (HEIGHT - 4) * ended / highest) : 0;
    y -= height;
    return ended > 0 && h('rect', { class: tone, x: i * STEP, y, width: STEP - 2, height });
  }));
}

function chart(minutes, moves, first) {
  const highest = Math.max(1, ...minutes.map((minute) => minute.ended));
  return [
    plot(count(highest), h('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${sum(minutes, 'ended')} outcomes in the last hour, ${sum(minutes, 'failed')} failed; the role moved ${moves.length} times` },
      minutes.map((minute, i) => minute.ended > 0 && bar(minute, i, highest)),
      moves.map((event) => h('rect', { class: 'move', x: (Date.parse(event.at) - first) / MINUTE * STEP, y: 0, width: 3, height: HEIGHT },
        h('title', {}, `${instant(event.at)}: node ${event.node} became master, epoch ${event.epoch}. ${event.reason}`)))),
    [0, 15, 30, 45, 60].map((minute) => clock(first + minute * MINUTE))),
    h('p', { class: 'legend parts' }, h('span', { class: 'part firstfire' }, 'succeeded'), h('span', { class: 'part fence' }, 'failed'),
      h('span', { class: 'part none' }, 'cancelled or not run'), moves.length > 0 && h('span', { class: 'part move' }, 'the role moved')),
  ];
}

/** @param activity the answer of /api/v1/cluster/activity; null if the caller may not read it */
export function activityCard(activity, history, master) {
  if (!activity) return null;
  const last = Math.floor(Date.parse(activity.now) / MINUTE) * MINUTE;
  const first = last - (MINUTES - 1) * MINUTE;
  const minutes = Array.from({ length: MINUTES }, (_, i) => minuteOf(first + i * MINUTE, activity.items));
  const full = minutes[MINUTES - 2];
  const moves = (history || []).filter((event) => event.to === 'MASTER' && Date.parse(event.at) >= first);
  return card('Last hour', minutes.some((minute) => minute.ended > 0) || moves.length > 0 ? chart(minutes, moves, first) : empty('No outcome was recorded in the last hour.'),
    h('p', { class: 'quiet' }, `Outcomes by minute. In the minute from ${clock(full.at)}:`),
    h('div', { class: 'figures' }, figure('fires', count(full.claimed)), figure('outcomes', count(full.ended)), figure('failed', count(full.failed)),
      figure('lateness, median', duration(full.p50)), figure('lateness, p99', duration(full.p99)),
      master?.workers && figure('workers active now', `${master.workers.active} of ${master.workers.size}`),
      master?.workers && figure('runs wait for a worker', count(master.workers.queued)),
      master && figure('fire times in the heap', count(master.heapSize))));
}
