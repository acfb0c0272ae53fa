// The page of the pair itself: what stands out, promotions with their parts, epochs, builds, and the role history.

import { get, remember, stored } from './api.js';
import { duration, instant, withLocalTimes } from './format.js';
import { h } from './html.js';
import {
  badge, card, empty, table, time, UNKNOWN,
} from './parts.js';
import { may } from './shell.js';

const PARTS = [['detect', 'Detect'], ['latch', 'Latch'], ['fence', 'Fence'], ['rebuild', 'Rebuild'], ['firstFire', 'First fire']];
const MOST_EPOCHS = 50;
const FAR_OFF = 500;
const WIDTH = 1000;

/** A time that is not broken across lines. */
const took = (millis) => h('span', { class: 'whole' }, duration(millis));
const parts = (split) => PARTS.map(([name, label]) => [name, label, split?.[`${name}Millis`] ?? null]);
const total = (split) => parts(split).reduce((sum, [, , millis]) => sum + (millis || 0), 0);

/** One bar for a promotion; its full width is the longest promotion shown. */
function bar(split, longest) {
  const known = parts(split).filter(([, , millis]) => millis !== null);
  let x = 0;
  return h('svg', {
    class: 'bar', viewBox: `0 0 ${WIDTH} 20`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': known.map(([, label, millis]) => `${label} ${duration(millis)}`).join(', ') || 'not measured',
  }, known.map(([name, label, millis]) => {
    const width = Math.max(2, WIDTH * millis / longest);
    const part = h('rect', { class: name.toLowerCase(), x, y: 0, width, height: 20 }, h('title', {}, `${label} ${duration(millis)}`));
    x += width;
    return part;
  }));
}

function promotions(history, estimate) {
  const events = history.filter((event) => event.to === 'MASTER');
  if (!events.length) return empty('No promotion yet.');
  const longest = Math.max(1, ...events.map((event) => total(event.split)), estimate ? total(estimate) : 0);
  const row = (when, who, split) => [when, who, bar(split, longest), ...parts(split).map(([, , millis]) => took(millis)), took(total(split))];
  return [
    h('p', { class: 'legend parts' }, PARTS.map(([name, label]) => h('span', { class: `part ${name.toLowerCase()}` }, label))),
    table('Promotions', ['When', 'Node', 'Parts', ...PARTS.map(([, label]) => label), 'Together'], [
      ...(estimate ? [row('if it happened now', 'standby', estimate)] : []),
      ...events.map((event) => row(time(event.at), [event.node, h('div', { class: 'quiet' }, withLocalTimes(event.reason))], event.split)),
    ], ''),
  ];
}

/** What a person should know, in sentences. */
function signals({ nodes, failoverReady, pause, hold }) {
  const found = [...failoverReady.reasons.map((reason) => ['Failover', withLocalTimes(reason)])];
  if (pause) found.push(['Firing', `paused since ${instant(pause.since)}${pause.reason ? `: ${pause.reason}` : ''}`]);
  if (hold) found.push(['Takeover', `on hold since ${instant(hold.since)}${hold.reason ? `: ${hold.reason}` : ''}`]);
  for (const node of nodes) {
    const name = `Node ${node.id}`;
    [node.error, node.notFiring, node.heldBack, ...(node.warnings || []), node.fastTakeover && !node.fastTakeover.armed && `fast takeover is not armed: ${node.fastTakeover.reason}`,
      node.role && !node.databaseReached && 'does not reach the database',
      node.zooKeeper && !['CONNECTED', 'RECONNECTED'].includes(node.zooKeeper) && `ZooKeeper is ${node.zooKeeper}`,
      Math.abs(node.clockOffsetMillis || 0) > FAR_OFF && `the clock is ${duration(node.clockOffsetMillis)} off the database's`,
      node.slotsInDoubt > 0 && `${node.slotsInDoubt} slots in doubt within 24 hours`,
      node.knownSchema && Number(node.schema) > node.knownSchema && `the schema ${node.schema} is newer than the node's ${node.knownSchema}`,
    ].filter(Boolean).forEach((text) => found.push([name, withLocalTimes(text)]));
  }
  const versions = new Set(nodes.map((node) => node.version).filter(Boolean));
  if (versions.size > 1) found.push(['Versions', `differ: ${[...versions].join(', ')}`]);
  return found;
}

function epochs(list) {
  const opened = [...list.items].sort((a, b) => b.epoch - a.epoch);
  return [
    table('Epochs', ['Epoch', 'Node', 'Opened', 'Lasted'], opened.slice(0, MOST_EPOCHS).map((epoch, i) => [
      String(epoch.epoch), epoch.node, time(epoch.openedAt),
      duration(Date.parse(i === 0 ? list.now : opened[i - 1].openedAt) - Date.parse(epoch.openedAt)) + (i === 0 ? ' so far' : ''),
    ]), 'No epoch was opened yet.'),
    opened.length > MOST_EPOCHS && h('p', { class: 'quiet' }, `The latest ${MOST_EPOCHS} of ${opened.length}.`),
  ];
}

/** What was set comes first; the defaults are folded. */
function configuration(items) {
  const rows = (chosen) => chosen.map(({ key, value, source }) => [h('code', {}, key), h('code', {}, value), source]);
  const isDefault = ({ source }) => source === 'default';
  return [
    table('Settings', ['Key', 'Value', 'Set by'], rows(items.filter((one) => !isDefault(one))), 'The application that embeds this node has set its configuration.'),
    items.some(isDefault) && h('details', {}, h('summary', {}, 'Keys with their defaults'), table('Defaults', ['Key', 'Value', 'Set by'], rows(items.filter(isDefault)), '')),
  ];
}

const cluster = {
  title: 'Cluster',
  every: 5000,
  async load() {
    const fromDatabase = stored('/api/v1/cluster/epochs');
    const [of, settings] = await Promise.all([
      get('/api/v1/cluster'), may('OPERATE', 'pair') ? stored('/api/v1/cluster/self/configuration') : null,
    ]);
    remember(of.nodes);
    return { cluster: of, opened: of.history ? await fromDatabase : undefined, settings };
  },
  show({ cluster: of, opened, settings }) {
    const found = signals(of);
    const history = of.history || [];
    return [
      h('h1', {}, 'Cluster'),
      h('section', { class: `card verdict ${found.length ? 'bad' : 'good'}` }, h('h2', {}, 'Standing signals'),
        found.length === 0 ? h('p', {}, 'None. Both nodes are in order, and a failover would work.')
          : h('dl', { class: 'facts' }, found.map(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]))),
      card('Promotions and their parts', of.history ? promotions(history, of.failoverReady.estimatedGap) : empty(UNKNOWN)),
      card('Nodes', table('Nodes', ['Node', 'Role', 'Version', 'Schema', 'HTTP', 'JMX', 'Process'], of.nodes.map((node) => [
        node.id, badge(node.role), node.version || '–', node.schema ? `${node.schema} (knows ${node.knownSchema ?? '–'})` : '–', h('span', { class: 'whole' }, node.http || '–'), h('span', { class: 'whole' }, node.jmx || '–'),
        h('span', { class: 'quiet' }, node.incarnation || '–'),
      ]), 'No node has joined.')),
      h('div', { class: 'lead' }, card('Epochs', opened ? epochs(opened) : empty(UNKNOWN)),
        card('Role history', table('Role changes', ['When', 'Node', 'Change', 'Reason'], history.map((event) => [
          time(event.at), event.node, `${event.from} → ${event.to}`, withLocalTimes(event.reason),
        ]), of.history ? 'No role has changed yet.' : UNKNOWN))),
      settings && card(`Configuration of node ${settings.node}`, configuration(settings.items)),
    ];
  },
};

export const CLUSTER = [[/^\/cluster$/, cluster]];
