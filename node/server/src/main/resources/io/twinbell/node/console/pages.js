// The pages. Each is { title, every, load(parameters), show(data, parameters) }; load reads, show builds elements.

import {
  get, remember, send, stored,
} from './api.js';
import { activityCard } from './activity.js';
import { CATALOG } from './catalog.js';
import { CLUSTER } from './cluster.js';
import { EDITORS } from './editor.js';
import { label, policies } from './fields.js';
import {
  count, duration, instant, schedule, scheduleInWords, span, withLocalTimes,
} from './format.js';
import { h } from './html.js';
import { TIMELINE } from './timeline.js';
import { act, asked, caller, leaveTo, link, may } from './shell.js';
import {
  alarm, badge, button, card, choice, chosenColumns, columnChoice, empty, executionLink, facts, field, filters, pager, standstill, strip, table, taskLink, time, took, UNKNOWN,
} from './parts.js';

const DAY = 86_400_000;
const DEAD = 'FAILED,TIMED_OUT';
/** How far a list of what needs a person is counted. */
const COUNTED = 100;
const MOST_PAUSES = 5;
const LATEST_RUNS = 5;
const ENDED = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED']);
const RERUN = new Set(['FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED', 'SUCCEEDED']);

// Overview

function nodeCard(node, cluster) {
  const disagrees = node.role === 'MASTER' && node.id !== cluster.master
    || node.role && node.id === cluster.master && node.role !== 'MASTER'
    || node.role === 'MASTER' && node.epoch !== cluster.epoch;
  const wrong = (isWrong) => (isWrong ? 'wrong' : null);
  return h('section', { class: `card node ${disagrees || node.error ? 'alarm' : ''}`, 'aria-label': `Node ${node.id}` },
    h('h3', {}, `Node ${node.id} `, badge(node.role)),
    node.error && h('p', { class: 'wrong' }, node.error),
    disagrees && h('p', { class: 'wrong' }, `The database says: master ${cluster.master ?? 'none'}, epoch ${cluster.epoch}.`),
    node.notFiring && h('p', { class: 'wrong' }, withLocalTimes(node.notFiring)),
    node.heldBack && h('p', { class: 'wrong' }, withLocalTimes(node.heldBack)),
    node.warnings?.map((warning) => h('p', { class: 'wrong' }, warning)),
    node.role && facts(
      ['Epoch', String(node.epoch), wrong(disagrees)],
      ['Latch', node.latchHeld ? 'held' : 'not held', wrong(node.latchHeld !== (node.role === 'MASTER'))],
      ['ZooKeeper', node.zooKeeper, wrong(!['CONNECTED', 'RECONNECTED'].includes(node.zooKeeper))],
      ['Database', node.databaseReached ? 'reached' : 'not reached', wrong(!node.databaseReached)],
      ['Master heartbeat', node.heartbeatAgeMillis === null ? '–' : `${duration(node.heartbeatAgeMillis)} ago`, wrong(node.heartbeatAgeMillis > (node.role === 'MASTER' ? 4000 : 8000))],
      ['Fast takeover', node.fastTakeover?.armed ? 'armed' : node.fastTakeover?.reason, wrong(!node.fastTakeover?.armed)],
      ['Workers', node.workers && `${node.workers.active} of ${node.workers.size} active${node.workers.queued ? `, ${node.workers.queued} runs wait` : ''}`],
      ['Heap', node.heapSize === undefined ? null : `${count(node.heapSize)} fire time${node.heapSize === 1 ? '' : 's'}`],
      ['Lag', duration(node.lagMillis), wrong(node.lagMillis > 1000)],
      ['Clock offset', duration(node.clockOffsetMillis)],
      ['Version', node.version],
    ));
}

function readiness(cluster) {
  const { ready, reasons, estimatedGap: gap } = cluster.failoverReady;
  return h('section', { class: `card verdict ${ready ? 'good' : 'bad'}` },
    h('h2', {}, 'Would a failover work now?'),
    h('p', { class: 'answer' }, ready ? 'Yes' : 'No',
      gap && h('span', { class: 'detail' }, ` – nothing would fire for about ${duration(gap.millis)}`)),
    reasons.length > 0 && h('ul', {}, reasons.map((reason) => h('li', {}, withLocalTimes(reason)))),
    gap && h('details', {}, h('summary', {}, 'What the estimate is made of'),
      facts(['Detect', duration(gap.detectMillis)], ['Latch', duration(gap.latchMillis)], ['Fence', duration(gap.fenceMillis)],
        ['Rebuild', duration(gap.rebuildMillis)], ['First fire', duration(gap.firstFireMillis)]),
      h('p', { class: 'quiet' }, gap.basis)));
}

function acts(cluster) {
  if (!may('OPERATE', 'pair')) return null;
  const ask = (title, text, path) => () => act(title, text, (reason) => send('POST', path, asked(reason)));
  const end = (title, text, path) => () => act(title, text, (reason) => send('POST', path, { reason }));
  return h('div', { class: 'acts' },
    button('Switch over', ask('Switch over?', 'The master hands the role to the standby. Fires continue after a short handover.', '/api/v1/cluster/switchover')),
    cluster.hold
      ? button('End the hold', end('End the hold?', 'The standby takes over automatically again.', '/api/v1/cluster/release'))
      : button('Hold takeover', ask('Hold automatic takeover?', 'If the master is lost, no node takes over until the hold ends.', '/api/v1/cluster/hold'), 'danger'),
    cluster.pause
      ? button('Resume firing', end('Resume firing?', 'Tasks fire again from their next fire time on.', '/api/v1/cluster/resume'))
      : button('Pause firing', ask('Pause all firing?', 'Slots that pass meanwhile are recorded as SKIPPED, one-shots included.', '/api/v1/cluster/pause'), 'danger'));
}

function standing(title, of) {
  return of && h('p', { class: 'banner' }, h('strong', {}, title), ` since ${instant(of.since)}`, of.until && `, until ${instant(of.until)}`,
    of.by && `, by ${of.by}`, of.reason && `: ${of.reason}`);
}

function needs({
  dead, missed, dropped, stuck, errors, paused, cluster,
}) {
  // A row of the ledger may stand for many slots.
  const number = (list) => list.items.reduce((sum, { slots }) => sum + (slots ?? 1), 0);
  const inDoubt = Math.max(0, ...cluster.nodes.map((node) => node.slotsInDoubt || 0));
  const rows = [
    [dead, 'execution', 'failed in the last 24 hours', `/executions?state=${DEAD}&since=24`, 'Read the errors, then rerun'],
    [missed, 'slot', 'missed in the last 24 hours', '/executions?state=MISSED&since=24', 'See which'],
    [dropped, 'execution', 'dropped in the last 24 hours', '/executions?state=DROPPED&since=24', 'Decide whether to run them again'],
    [stuck, 'execution', 'stuck now', '/executions?state=CLAIMED,RUNNING', 'Cancel or release them'],
    [errors, 'task', 'with an error in the definition', '/tasks?state=ERROR', 'Correct the definition'],
    [paused, 'task', 'paused', '/tasks?state=PAUSED', 'Resume them if they should run'],
  ].filter(([list]) => list?.items.length > 0 || list?.next);
  const alone = cluster.nodes.filter((node) => node.role).length < 2;
  const standing = cluster.standingPauses || [];
  const isMore = rows.length > 0 || alone || inDoubt > 0 || standing.length > 0;
  return card('What needs a person', !dead && empty(UNKNOWN), dead && !isMore && empty('Nothing. No failure, no missed or dropped slot, no stuck run.'),
    isMore && h('ul', { class: 'needs' },
      alone && h('li', {}, h('strong', {}, 'No standby'), ' answers. Start the other node, or read its log.'),
      inDoubt > 0 && h('li', {}, h('strong', {}, count(inDoubt)), ` slot${inDoubt === 1 ? '' : 's'} in doubt: a failover of the database within 24 hours lost what is known of them. `, link('/executions?inDoubt=true', 'Ask the receivers whether they ran')),
      standing.slice(0, MOST_PAUSES).map(({ key, reason }) => h('li', {}, h('strong', {}, key), ` is paused${reason ? `: ${reason}` : ''}. `, link('/rules', 'End the pause if the tasks should run'))),
      standing.length > MOST_PAUSES && h('li', {}, h('strong', {}, standing.length - MOST_PAUSES), ' further standing pauses. ', link('/rules', 'See all')),
      rows.map(([list, thing, text, path, advice]) => h('li', {}, h('strong', {}, count(number(list)), list.next && '+'), ` ${thing}${number(list) === 1 ? '' : 's'} ${text}. `, link(path, advice)))));
}

function history(events) {
  return card('Latest changes of role', !events ? empty(UNKNOWN)
    : table('Role changes', ['When', 'Node', 'Change', 'Epoch', 'Took', 'Reason'], events.slice(0, 5).map((event) => [
      time(event.at), event.node, `${event.from} → ${event.to}`, String(event.epoch), duration(event.tookMillis), withLocalTimes(event.reason),
    ]), 'No role has changed yet.'), h('p', {}, link('/cluster', 'Promotions, epochs and all changes')));
}

/** With a million tasks, finding that none is paused takes a while, so this is read more rarely than the rest. */
const NEEDS_EVERY = 8000;
let needed = { at: 0, found: null };

async function readNeeds(from) {
  const ended = (state) => get('/api/v1/executions', { brief: true, limit: COUNTED, state, from });
  const [dead, missed, dropped, stuck, errors, paused] = await Promise.all([
    ...[DEAD, 'MISSED', 'DROPPED'].map(ended),
    get('/api/v1/executions/stuck').catch(() => ({ items: [] })),
    get('/api/v1/tasks', { limit: COUNTED, state: 'ERROR' }),
    get('/api/v1/tasks', { limit: COUNTED, state: 'PAUSED' }),
  ]);
  needed = {
    at: Date.now(),
    found: {
      dead, missed, dropped, stuck, errors, paused,
    },
  };
  return needed.found;
}

const overview = {
  title: 'Overview',
  every: 2500,
  async load() {
    const from = new Date(Date.now() - DAY).toISOString();
    const fromDatabase = Promise.all([
      caller.session.apps.length ? null : stored('/api/v1/cluster/activity'),
      stored('/api/v1/executions', { brief: true, limit: 200, until: new Date().toISOString() }),
      Date.now() - needed.at < NEEDS_EVERY ? needed.found : readNeeds(from).catch(() => null),
    ]);
    const cluster = await get('/api/v1/cluster');
    remember(cluster.nodes);
    // While the database hangs, its answers would keep the page back for seconds.
    const [activity, latest, found] = cluster.history ? await fromDatabase : [];
    return { cluster, activity, latest, ...found };
  },
  show(data) {
    const { cluster } = data;
    const began = cluster.history?.find((event) => event.to === 'MASTER');
    return [
      h('div', { class: 'head' }, h('h1', {}, 'Overview'), acts(cluster)),
      alarm(standstill(cluster.nodes)),
      standing('Firing is paused', cluster.pause), standing('Automatic takeover is on hold', cluster.hold),
      h('div', { class: 'lead' },
        h('section', { class: `card verdict ${cluster.master ? '' : 'bad'}` }, h('h2', {}, 'Master'),
          h('p', { class: 'answer' }, cluster.master ? `Node ${cluster.master}` : 'None',
            h('span', { class: 'detail' }, ` – epoch ${cluster.epoch}${began ? `, since ${instant(began.at)}` : ''}`)),
          began && h('p', { class: 'quiet' }, `Why it became master then: ${withLocalTimes(began.reason)}`)),
        readiness(cluster)),
      h('h2', { class: 'hidden' }, 'Nodes'),
      h('div', { class: 'pair' }, cluster.nodes.map((node) => nodeCard(node, cluster))),
      needs(data), activityCard(data.activity, cluster.history, cluster.nodes.find((node) => node.id === cluster.master)),
      card('Latest executions', data.latest ? strip(data.latest.items) : empty(UNKNOWN), h('p', {}, link('/executions', 'All executions'))), history(cluster.history),
    ];
  },
};

// Tasks

const TASK_STATES = [['', 'any state'], ...['ACTIVE', 'PAUSED', 'FINISHED', 'ERROR'].map((state) => [state, state])];

/** Acts on all tasks that the filters select, page after page until the node has no next one. Returns their number. */
async function inBulk(method, path, filter, body) {
  let after;
  let count = 0;
  do {
    const query = new URLSearchParams({ ...filter, ...(after && { after }) });
    const answer = await send(method, `${path}?${query}`, body);
    count += answer.triggered ?? answer.changed ?? 0;
    after = answer.next;
  } while (after);
  return count;
}

function bulkActs({ after, ...parameters }) {
  const filter = Object.fromEntries(Object.entries(parameters).filter(([name, value]) => value && ['q', 'app', 'tag', 'owner', 'handler', 'state'].includes(name)));
  if (!may('OPERATE', filter.app || 'pair') || Object.keys(filter).length === 0) return null;
  const words = Object.entries(filter).map(([name, value]) => `${name === 'q' ? 'name' : name} ${value}`).join(', ');
  const ask = (title, text, run, asksReason) => async () => {
    const { items, next } = await get('/api/v1/tasks', { ...filter, limit: 1000 });
    act(title, `${next ? `At least ${items.length} tasks match` : items.length === 1 ? '1 task matches' : `${items.length} tasks match`} ${words}. ${text}`, run, asksReason);
  };
  return h('div', { class: 'acts' },
    button('Pause all', ask('Pause all?', 'They do not fire until they are resumed.', (reason) => inBulk('POST', '/api/v1/tasks/pause', filter, asked(reason)))),
    button('Run all now', ask('Run all now?', 'Each runs once, in addition to its schedule.', async (reason) => {
      const runs = await inBulk('POST', '/api/v1/tasks/trigger', filter, reason ? { reason } : {});
      return `${runs} ${runs === 1 ? 'task runs' : 'tasks run'} now.`;
    }, 'optional')),
    button('Resume all', ask('Resume all?', 'Those that are paused fire again.', (reason) => inBulk('POST', '/api/v1/tasks/resume', filter, reason ? { reason } : {}), 'optional')),
    may('EDIT', filter.app || 'pair') && button('Delete all', async () => {
      const { changed } = await send('DELETE', `/api/v1/tasks?${new URLSearchParams({ ...filter, dryRun: true })}`);
      act('Delete all?', `${changed === 1 ? '1 task matches' : `${changed} tasks match`} ${words}. They are removed; what has run stays in the ledger.`,
        async (reason) => {
          const removed = await inBulk('DELETE', '/api/v1/tasks', { ...filter, reason });
          return `${removed} ${removed === 1 ? 'task is' : 'tasks are'} deleted.`;
        });
    }, 'danger'));
}

/** A paused task keeps its next fire time, but does not fire then. */
const nextFire = (task) => (task.state === 'PAUSED' ? h('span', { class: 'quiet' }, task.pausedUntil ? `paused until ${instant(task.pausedUntil)}` : 'paused') : time(task.nextFireTime));

/** The columns of the list of tasks besides the task itself, and whether each is shown unless the reader chose otherwise. */
const COLUMNS = [
  ['State', true, (task) => badge(task.state)],
  ['Last outcome', true, (task) => (task.lastOutcome ? badge(task.lastOutcome) : '–')],
  ['Schedule', true, (task) => scheduleInWords(task.schedule)],
  ['Handler', true, (task) => task.handler?.type || '–'],
  ['Handler key', false, (task) => task.handler?.key || task.handler?.url || '–'],
  ['Owner', false, (task) => task.owner || '–'],
  ['Tags', false, (task) => task.tags?.join(', ') || '–'],
  ['Runs', false, (task) => String(task.runs)],
  ['Next fire', true, (task) => nextFire(task)],
  ['Previous fire', true, (task) => time(task.previousFireTime)],
  ['Changed', false, (task) => time(task.updatedAt)],
];

function tasksTable(items, empty) {
  const shown = chosenColumns('tasks', COLUMNS);
  return table('Tasks', ['Task', ...shown.map(([head]) => head)],
    items.map((task) => [taskLink(task), ...shown.map(([, , cell]) => cell(task))]), empty);
}

const tasks = {
  title: 'Tasks',
  every: 5000,
  load: ({ q, app, tag, owner, handler, state, after }) => get('/api/v1/tasks', { q, app, tag, owner, handler, state, after, limit: 50, lastOutcome: true }),
  show: (list, parameters) => [
    h('div', { class: 'head' }, h('h1', {}, 'Tasks'), h('div', { class: 'acts' }, bulkActs(parameters), caller.session.permissions.includes('EDIT') && link('/tasks/new', 'New task'))),
    filters(parameters, field(parameters, 'q', 'Part of the name', 'search'), field(parameters, 'app', 'App'), field(parameters, 'tag', 'Tag'),
      field(parameters, 'owner', 'Owner'), field(parameters, 'handler', 'Handler'), choice(parameters, 'state', 'State', TASK_STATES)),
    tasksTable(list.items, list.next ? 'No task of this page matches.' : Object.keys(parameters).length > 0 ? 'No task matches.' : 'No task yet.'),
    h('div', { class: 'head' }, pager(parameters, list.next), columnChoice('tasks', COLUMNS)),
  ],
};

function taskActs(task) {
  if (!may('OPERATE', task.app)) return null;
  const path = `/api/v1/tasks/${task.id}`;
  const name = `${task.app} / ${task.name}`;
  const mayEdit = may('EDIT', task.app);
  const runNow = () => act('Run now?', `${name} runs once, in addition to its schedule.`, async (reason, form) => {
    const data = form.get('data')?.trim();
    const run = await send('POST', `${path}/trigger`, { ...(reason && { reason }), ...(data && { data: json(data) }) });
    return ['It runs now: ', link(`/executions/${encodeURIComponent(run.id)}`, `the execution of ${instant(run.fireTime)}`), '.'];
  }, 'optional', mayEdit && h('label', {}, 'Data for this run, as JSON; the task\u2019s own if empty',
    h('textarea', { name: 'data', rows: 4, spellcheck: 'false', placeholder: task.data === undefined || task.data === null ? '' : JSON.stringify(task.data) })));
  return h('div', { class: 'acts' },
    button('Run now', runNow),
    task.state === 'PAUSED'
      ? button('Resume', () => act('Resume?', `${name} fires again from its next fire time on. Slots that passed meanwhile are skipped.`, (reason) => send('POST', `${path}/resume`, reason ? { reason } : {}), 'optional'))
      : button('Pause', () => act('Pause?', `${name} does not fire until it is resumed.`, (reason) => send('POST', `${path}/pause`, asked(reason)))),
    mayEdit && [link(`/tasks/${task.id}/edit`, 'Edit'), link(`/tasks/${task.id}/copy`, 'Copy'), button('Delete', () => act('Delete?',
      `${name} is removed. What has run stays in the ledger.`, async (reason) => {
        await send('DELETE', `${path}?${new URLSearchParams({ version: task.version, reason })}`);
        leaveTo('/tasks', `${name} is deleted.`);
      }), 'danger')]);
}

function inWords(value) {
  if (Array.isArray(value)) return value.map(inWords).join('; ');
  return value && typeof value === 'object' ? Object.entries(value).map(([name, of]) => `${name} ${inWords(of)}`).join(', ') : span(String(value));
}

/** A value that is a default says whose. */
function policyCard(task) {
  const origin = (member) => task.origins?.[member] ?? Object.entries(task.origins || {}).find(([name]) => name.startsWith(`${member}.`))?.[1];
  return card('Policies', facts(...policies(task).map(([member, value]) => [label(member), [inWords(value), origin(member) && h('span', { class: 'quiet' }, ` (a default of the ${origin(member).toLowerCase()})`)]])));
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new Error(`The data is not JSON: ${e.message}`);
  }
}

const task = {
  title: 'Task',
  every: 4000,
  async load({ id }) {
    const path = `/api/v1/tasks/${encodeURIComponent(id)}`;
    const [of, runs, statistics, pauses] = await Promise.all([
      get(path), get(`${path}/executions`, { limit: 200, brief: true }), get(`${path}/statistics`), get('/api/v1/pauses'),
    ]);
    // A finished task has no further fire time.
    const preview = of.state === 'FINISHED' ? { fireTimes: [] } : await send('POST', '/api/v1/schedules/preview', {
      schedule: of.schedule, count: 20, ...(of.start && { start: of.start }), ...(of.end && { end: of.end }),
      ...(of.calendars?.length && { calendars: of.calendars }),
    }).catch((e) => ({ error: e.message, fireTimes: [], marks: {} }));
    const keys = [`app:${of.app}`, ...(of.tags || []).map((tag) => `tag:${tag}`), `handler:${of.handler?.type}`, `handler:${of.handler?.key}`];
    return {
      of, runs, statistics, preview, standing: pauses.items.filter(({ key }) => keys.includes(key)),
    };
  },
  show({
    of, runs, statistics, preview, standing,
  }) {
    const { durationMillis, latenessMillis, states } = statistics;
    return [
      h('div', { class: 'head' }, h('h1', {}, h('span', { class: 'app' }, `${of.app} / `), of.name, ' ', badge(of.state)), taskActs(of)),
      of.state === 'PAUSED' ? h('p', { class: 'banner' }, h('strong', {}, 'Paused'), of.pausedBy && ` by ${of.pausedBy}`, of.pausedUntil && `, until ${instant(of.pausedUntil)}`, of.stateReason && `: ${of.stateReason}`)
        : of.stateReason && h('p', { class: 'banner' }, withLocalTimes(of.stateReason)),
      of.definitionError && h('p', { class: 'banner' }, of.definitionError),
      standing.map((pause) => h('p', { class: 'banner' }, h('strong', {}, `${pause.key} is paused`), pause.by && ` by ${pause.by}`, pause.until && `, until ${instant(pause.until)}`, pause.reason && `: ${pause.reason}`, '. The slots of this task are skipped. ', link('/rules', 'Standing pauses'))),
      card('Latest runs', strip(runs.items), runs.items.length > 0 && table('Latest runs', ['Fire time', 'State', 'Attempt', 'Duration', 'Reason'], runs.items.slice(0, LATEST_RUNS).map((run) => [
        executionLink(run), badge(run.state), String(run.attempt), took(run), h('span', { class: 'cut' }, run.errorCode || withLocalTimes(run.reason) || ''),
      ]), ''), h('p', {}, link(`/executions?task=${of.id}`, 'All executions of this task'), ' \u00b7 ', link(`/audit?kind=TASK&object=${of.id}`, 'History of changes'))),
      h('div', { class: 'lead' },
        card('Schedule', h('p', { class: 'answer' }, preview.description || scheduleInWords(of.schedule)),
          of.state === 'FINISHED' && h('p', { class: 'quiet' }, 'It has no further fire time.'),
          facts(['Definition', schedule(of.schedule)], ['Next fire', nextFire(of)], ['Previous fire', time(of.previousFireTime)]),
          preview.error && h('p', { class: 'wrong' }, preview.error),
          preview.fireTimes.length > 0 && h('details', {}, h('summary', {}, `Next ${preview.fireTimes.length} fire times by the schedule`),
            h('ol', { class: 'times' }, preview.fireTimes.map((at) => h('li', {}, instant(at), preview.marks?.[at] && [' ', badge(preview.marks[at])]))))),
        card('Last 24 hours',
          facts(...Object.entries(states).map(([state, { slots }]) => [state, String(slots)]),
            ['Duration, median', duration(durationMillis?.median)], ['Duration, p99', duration(durationMillis?.p99)],
            ['Lateness, median', duration(latenessMillis?.median)], ['Lateness, p99', duration(latenessMillis?.p99)]))),
      policyCard(of),
      card('Definition', facts(['Id', String(of.id)], ['Version', String(of.version)], ['Owner', of.owner], ['Tags', of.tags?.join(', ') || null], ['Handler', [of.handler?.type, of.handler?.key || of.handler?.url].filter(Boolean).join(' ')],
        of.calendars?.length && ['Calendars', of.calendars.map((name, i) => [i > 0 && ', ', typeof name === 'string' ? link(`/calendars/${encodeURIComponent(name)}`, name) : JSON.stringify(name)])]),
        h('details', {}, h('summary', {}, 'As JSON'), h('pre', { tabindex: 0 }, JSON.stringify(of, null, 2)))),
    ];
  },
};

// Executions

const EXECUTION_STATES = [['', 'any state'], [DEAD, 'dead letters'], ...['PENDING', 'CLAIMED', 'RUNNING', 'CLAIMED,RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED',
  'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED'].map((state) => [state, state.replace(',', ' or ')])];

const SINCE = [['', 'any time'], ['1', '1 hour ago'], ['6', '6 hours ago'], ['24', '24 hours ago'], ['168', '7 days ago']];

/** The instant that many hours ago; undefined for any time. */
const hoursAgo = (hours) => (Number(hours) > 0 ? new Date(Date.now() - Number(hours) * 3_600_000).toISOString() : undefined);

const executions = {
  title: 'Executions',
  every: 4000,
  load: ({
    task: of, app, name, node, state, inDoubt, after, since: hours,
  }) => get('/api/v1/executions', {
    task: of, app, name, node, state, inDoubt, after, from: hoursAgo(hours), brief: true, limit: 50,
  }),
  show: (list, parameters) => [
    h('div', { class: 'head' }, h('h1', {}, 'Executions'), rerunAll(parameters)),
    filters(parameters, field(parameters, 'name', 'Complete name', 'search'), field(parameters, 'app', 'App'), field(parameters, 'node', 'Node'),
      choice(parameters, 'state', 'State', EXECUTION_STATES), choice(parameters, 'since', 'Since', SINCE), parameters.inDoubt && choice(parameters, 'inDoubt', 'In doubt', [['true', 'only these'], ['', 'all']]), parameters.task && field(parameters, 'task', 'Task id')),
    table('Executions', ['Fire time', 'Task', 'State', 'Attempt', 'Node', 'Lateness', 'Duration', 'Reason'], list.items.map((of) => [
      executionLink(of), taskLink(of), badge(of.state), String(of.attempt), of.node || '–', duration(of.latenessMillis), took(of),
      h('span', { class: 'cut' }, of.errorCode || withLocalTimes(of.reason) || ''),
    ]), 'No execution matches.'),
    pager(parameters, list.next),
  ],
};

const RERUN_FILTERS = ['state', 'app', 'name', 'task'];

/** Runs all again that the filters select, if they select dead letters. */
function rerunAll(parameters) {
  const filter = Object.fromEntries(Object.entries(parameters).filter(([name, value]) => value && RERUN_FILTERS.includes(name)));
  if (hoursAgo(parameters.since)) filter.from = hoursAgo(parameters.since);
  if (![DEAD, 'FAILED', 'TIMED_OUT'].includes(filter.state) || parameters.node || !may('OPERATE', filter.app || 'pair')) return null;
  return h('div', { class: 'acts' }, button('Run all again', async () => {
    const { items, next } = await get('/api/v1/executions', { ...filter, brief: true, limit: 1000 });
    act('Run all again?', `${next ? 'More than 1000 executions match' : items.length === 1 ? '1 execution matches' : `${items.length} executions match`}. Each slot gets another attempt under the same idempotency key, 10,000 at once at most.`, async (reason) => {
      const { rerun, more } = await send('POST', `/api/v1/executions/rerun?${new URLSearchParams(filter)}`, { reason });
      return `${rerun} ${rerun === 1 ? 'execution runs' : 'executions run'} again.${more ? ' There are more: run them again too.' : ''}`;
    });
  }));
}

function executionActs(of, isStuck) {
  if (!may('OPERATE', of.app)) return null;
  const path = `/api/v1/executions/${encodeURIComponent(of.id)}`;
  return h('div', { class: 'acts' },
    RERUN.has(of.state) && button('Run again', () => act('Run again?', 'The slot gets another attempt under the same idempotency key.', (reason) => send('POST', `${path}/rerun`, reason ? { reason } : undefined), 'optional')),
    isStuck && button('Release', () => act('Release this execution?', 'The master interrupts it and settles it by the orphan policy of the task: dropped, or run again.', (reason) => send('POST', `${path}/release`, { reason })), 'danger'),
    !ENDED.has(of.state) && button('Cancel', () => act('Cancel this execution?', 'The master interrupts it, or keeps it from starting.', (reason) => send('POST', `${path}/cancel`, { reason })), 'danger'));
}

const execution = {
  title: 'Execution',
  every: 2500,
  async load({ id }) {
    const of = await get(`/api/v1/executions/${encodeURIComponent(id)}`);
    const why = await get(`/api/v1/tasks/${of.taskId}/why`, { at: of.fireTime }).catch(() => null);
    const stuck = ENDED.has(of.state) ? { items: [] } : await get('/api/v1/executions/stuck').catch(() => ({ items: [] }));
    return { of, why, isStuck: stuck.items.some((one) => one.id === of.id) };
  },
  show: ({ of, why, isStuck }) => [
    h('div', { class: 'head' }, h('h1', {}, `${instant(of.fireTime)} `, badge(of.state)), executionActs(of, isStuck)),
    h('p', {}, taskLink(of)),
    isStuck && h('p', { class: 'banner' }, 'This execution is stuck. Release it, or cancel it.'),
    why && h('p', { class: 'banner calm' }, withLocalTimes(why.sentence)),
    of.error && card('Error', h('pre', { class: 'wrong', tabindex: 0 }, of.error)),
    card('Run', facts(['Attempt', String(of.attempt)], ['Node', of.node], ['Epoch', of.epoch === null ? '–' : String(of.epoch)], ['Claimed', time(of.claimedAt)],
      ['Started', time(of.startedAt)], ['Ended', time(of.endedAt)], ['Lateness', duration(of.latenessMillis)], ['Duration', took(of)],
      of.reason && ['Reason', withLocalTimes(of.reason)], of.note && ['Note', withLocalTimes(of.note)], of.slots && ['Stands for', `${of.slots} slots until ${instant(of.untilFireTime)}`],
      of.progress !== undefined && of.progress !== null && ['Progress', `${of.progress} ${of.progressMessage || ''}`])),
    of.output && card('Output', h('pre', { tabindex: 0 }, of.output)),
    of.log && card('Log', h('pre', { tabindex: 0 }, typeof of.log === 'string' ? of.log : of.log.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))),
    of.attempts?.length > 0 && card('Attempts', table('Attempts', ['Attempt', 'State', 'Node', 'Epoch', 'Started', 'Ended', 'Error or reason'], of.attempts.map((attempt) => [
      String(attempt.attempt), badge(attempt.state), attempt.node || '–', String(attempt.epoch ?? '–'), time(attempt.startedAt), time(attempt.endedAt),
      h('span', { class: 'cut' }, attempt.error || withLocalTimes(attempt.reason) || ''),
    ]), '')),
  ],
};

export const PAGES = [
  ...EDITORS, [/^\/$/, overview], [/^\/tasks$/, tasks], [/^\/tasks\/(?<id>[^/]+)$/, task],
  [/^\/executions$/, executions], [/^\/executions\/(?<id>[^/]+)$/, execution],
  ...TIMELINE, ...CLUSTER, ...CATALOG,
];
