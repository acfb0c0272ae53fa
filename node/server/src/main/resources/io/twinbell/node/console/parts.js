// The parts that pages are made of.

import { nodeNow } from './api.js';
import { duration, elapsed, instant, runMillis, since } from './format.js';
import { h } from './html.js';
import { frame, go, link } from './shell.js';

export const badge = (state) => h('span', { class: `badge ${(state || 'unknown').toLowerCase()}` }, state || 'NO ANSWER');
export const time = (text) => h('time', { datetime: text, title: text && since(text) }, instant(text));
export const facts = (...rows) => h('dl', { class: 'facts' }, rows.filter(Boolean).map(([name, value, tone]) => [
  h('dt', {}, name), h('dd', { class: tone }, value ?? '–'),
]));
export const button = (text, onclick, tone) => h('button', { type: 'button', class: tone, onclick }, text);
export const card = (title, ...children) => h('section', { class: 'card' }, h('h2', {}, title), children);
export const empty = (text) => h('p', { class: 'empty' }, text);
export const alarm = (text) => text && h('p', { class: 'banner alarm', role: 'alert' }, text);

/** Stands where the ledger or the tasks would. */
export const UNKNOWN = 'Not known while the database does not answer.';

/** Why nothing fires, in the words of the command status; null if the nodes know of nothing. */
export function standstill(nodes) {
  const heldBack = nodes.find((node) => node.heldBack)?.heldBack;
  const masters = nodes.filter(({ role }) => role === 'MASTER');
  if (heldBack) return `NOTHING FIRES: ${heldBack}`;
  if (masters.length !== 1) return 'not exactly one master';
  return masters[0].notFiring ? `NOTHING FIRES: node ${masters[0].id} is master and does not fire: ${masters[0].notFiring}` : null;
}

/** How long an execution took, or how long it has been running: that counts on. */
export const took = (of) => (of.state === 'RUNNING' && of.startedAt
  ? h('span', { class: 'elapsed', 'data-since': of.startedAt }, `${elapsed(of.startedAt, nodeNow())} so far`) : duration(runMillis(of)));

/** Counts on; the page calls it each second. */
export function countOn() {
  for (const one of document.querySelectorAll('.elapsed')) one.textContent = `${elapsed(one.dataset.since, nodeNow())} so far`;
}

export const executionLink = (of) => link(`/executions/${encodeURIComponent(of.id)}`, h('span', { class: 'whole' }, instant(of.fireTime)));
export const taskLink = (of) => link(`/tasks/${of.taskId ?? of.id}`, h('span', { class: 'app' }, `${of.app} / `), of.name);

export function table(caption, heads, rows, none) {
  return rows.length === 0 ? empty(none) : h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell) => h('td', {}, cell)))))));
}

const columnsKey = (list) => `twinbell.columns.${list}`;

function choices(list) {
  try {
    return JSON.parse(localStorage.getItem(columnsKey(list)) || '{}');
  } catch {
    return {};
  }
}

/** The columns [head, isShown, cell] that the reader wants to see. */
export function chosenColumns(list, columns) {
  const chosen = choices(list);
  return columns.filter(([head, isShown]) => chosen[head] ?? isShown);
}

/** Lets the reader choose columns; the browser remembers them. */
export function columnChoice(list, columns) {
  const shown = new Set(chosenColumns(list, columns).map(([head]) => head));
  return h('details', { class: 'columns', id: `columns-${list}` }, h('summary', {}, 'Columns'),
    h('fieldset', {}, h('legend', { class: 'hidden' }, 'Columns'), columns.map(([head]) => h('label', {}, h('input', {
      type: 'checkbox', checked: shown.has(head),
      onchange: (event) => {
        localStorage.setItem(columnsKey(list), JSON.stringify({ ...choices(list), [head]: event.target.checked }));
        frame.show();
      },
    }), ` ${head}`))));
}

/** A chart between its two axes. */
export const plot = (highest, svg, times) => h('div', { class: 'plot' },
  h('p', { class: 'axis', 'aria-hidden': 'true' }, h('span', {}, highest), h('span', {}, '0')), svg,
  h('p', { class: 'axis', 'aria-hidden': 'true' }, times.map((at) => h('span', {}, at))));

/** Bars for executions, oldest first: the colour is the outcome, the height the square root of the duration. */
export function strip(executions) {
  const bars = [...executions].reverse();
  if (!bars.length) return empty('No executions yet.');
  const longest = Math.max(1, ...bars.map((bar) => runMillis(bar) || 0));
  const counts = bars.reduce((sum, { state }) => ({ ...sum, [state]: (sum[state] || 0) + 1 }), {});
  const words = Object.entries(counts).map(([state, count]) => `${count} ${state}`).join(', ');
  return [
    h('svg', { class: 'strip', viewBox: `0 0 ${Math.max(200, bars.length) * 5} 60`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
      bars.map((bar, i) => {
        const height = 6 + 54 * Math.sqrt((runMillis(bar) || 0) / longest);
        return h('rect', { class: bar.state.toLowerCase(), x: i * 5, y: 60 - height, width: 4, height },
          h('title', {}, `${instant(bar.fireTime)} ${bar.state} ${duration(runMillis(bar))}`));
      })),
    h('p', { class: 'quiet' }, `From ${instant(bars[0].fireTime)} to ${instant(bars.at(-1).fireTime)}, oldest first. The highest bar took ${duration(longest)}.`),
    h('p', { class: 'legend' }, Object.entries(counts).map(([state, count]) => [badge(state), ` ${count} `])),
  ];
}

export function pager(parameters, next) {
  return h('nav', { class: 'pager', 'aria-label': 'Pages' },
    parameters.after && button('First page', () => go({ ...parameters, after: '' })),
    next && button('Next page', () => go({ ...parameters, after: next })));
}

export function filters(parameters, ...fields) {
  return h('form', {
    class: 'filters', role: 'search',
    onsubmit: (event) => {
      event.preventDefault();
      go(Object.fromEntries(new FormData(event.target)));
    },
  }, fields, h('button', {}, 'Filter'));
}

export function field(parameters, name, label, id) {
  return h('label', { id: `field-${name}` }, label, h('input', { name, id, value: parameters[name] || '', autocomplete: 'off', maxlength: 200 }));
}

/** A value of the address that is no choice is shown all the same, such as several states. */
export function choice(parameters, name, label, choices) {
  const chosen = parameters[name] || '';
  const values = choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen.replaceAll(',', ' or ')]];
  return h('label', { id: `field-${name}` }, label, h('select', { name, onchange: (event) => event.target.form.requestSubmit() },
    values.map(([value, text]) => h('option', { value, selected: chosen === value }, text))));
}
