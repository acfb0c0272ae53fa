// The fields of a task's definition: where each stands in the JSON, what it may be, and what its values mean. Those of
// schedules and handlers stand here; the others come from the node's description of its API.

import { get } from './api.js';

const GAP = { SHIFT: 'The time that the clock change leaves out fires right after it.', SKIP: 'The time that the clock change leaves out does not fire.' };
const OVERLAP = { ONCE: 'A repeated time fires the first time only.', TWICE: 'A repeated time fires both times.' };
const zone = { at: '/schedule/zone', label: 'Time zone', list: 'zones', hint: 'UTC if empty' };
const gap = { at: '/schedule/dstGap', label: 'Clocks go forward', meanings: GAP, standard: 'SHIFT' };
const repeated = { at: '/schedule/dstOverlap', label: 'Clocks go back', meanings: OVERLAP, standard: 'ONCE' };

/** The kinds of schedules. The member of this name in the schedule says which kind it is. */
export const SCHEDULES = {
  cron: {
    label: 'Cron expression',
    example: { cron: '30 2 * * *' },
    fields: [
      { at: '/schedule/cron', label: 'Expression', hint: 'such as 30 2 * * * or 0 0 9 LW * ?', required: true },
      { at: '/schedule/dialect', label: 'Dialect', meanings: { UNIX: 'Five fields; a day matches either day field.', QUARTZ: 'Seconds first; ? in one day field.', SPRING: 'Seconds first; both day fields must match.' }, isDetected: true },
      zone, gap, repeated,
    ],
  },
  every: {
    label: 'Interval',
    example: { every: 'PT5M' },
    fields: [
      { at: '/schedule/every', label: 'Every', hint: 'ISO 8601, such as PT30S, PT5M or P1D', required: true },
      { at: '/schedule/mode', label: 'Counted from', standard: 'FIXED_RATE', meanings: { FIXED_RATE: 'The previous fire time, however long runs take.', FIXED_DELAY: 'The end of the previous run.' } },
      { at: '/schedule/first', label: 'First fire time', standard: 'AT_START', meanings: { AT_START: 'At the start, if that is still to come.', AFTER_INTERVAL: 'One interval after the start.' } },
      { at: '/schedule/align', label: 'Align to', hint: 'such as PT1H for full hours' },
    ],
  },
  at: { label: 'Once, at an instant', example: { at: '' }, fields: [{ at: '/schedule/at', label: 'Instant', hint: 'in UTC, such as 2027-01-31T18:00:00Z', required: true }] },
  in: { label: 'Once, after a delay', example: { in: 'PT1H' }, fields: [{ at: '/schedule/in', label: 'Delay', hint: 'such as PT48H; PT0S is now', required: true }] },
  rrule: {
    label: 'Recurrence rule',
    example: { rrule: 'FREQ=WEEKLY;BYDAY=MO', dtstart: '' },
    fields: [
      { at: '/schedule/rrule', label: 'Rule', hint: 'such as FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', required: true },
      { at: '/schedule/dtstart', label: 'First day and time', hint: 'on the wall clock, such as 2027-01-04T09:00', required: true },
      zone, gap, repeated,
    ],
  },
};

/** The kinds of handlers; the member "type" says which. */
export const HANDLERS = {
  http: {
    label: 'HTTP call',
    example: { type: 'http', url: '' },
    fields: [
      { at: '/handler/url', label: 'URL', hint: 'http or https', required: true, wide: true },
      { at: '/handler/method', label: 'Method', hint: 'GET, or POST if there is a body' },
      { at: '/handler/successCodes', label: 'Statuses that succeed', json: true, hint: '["2xx"] if empty' },
      { at: '/handler/headers', label: 'Headers', json: true, hint: '{"Name": "value"}' },
      { at: '/handler/body', label: 'Body', long: true, wide: true },
    ],
  },
  sql: { label: 'SQL statement', example: { type: 'sql', statement: '' }, fields: [{ at: '/handler/statement', label: 'Statement', long: true, wide: true, required: true, hint: 'one, or a list such as ["update …", "insert …"]' }] },
  shell: { label: 'Command', example: { type: 'shell', command: [] }, fields: [{ at: '/handler/command', label: 'Command and arguments', json: true, wide: true, required: true, hint: '["/usr/bin/backup", "--all"]' }] },
  java: { label: 'Java code', example: { type: 'java', key: '' }, fields: [{ at: '/handler/key', label: 'Key', hint: 'as the application registered it', required: true }] },
  log: { label: 'Line in the log', example: { type: 'log', message: '' }, fields: [{ at: '/handler/message', label: 'Message', required: true, wide: true }] },
};

export const IDENTITY = [
  { at: '/app', label: 'App', required: true, isKey: true },
  { at: '/name', label: 'Name', required: true, isKey: true, hint: 'unique within the app' },
  { at: '/owner', label: 'Owner' },
  { at: '/tags', label: 'Tags', words: true, hint: 'separated by commas' },
];

/** The fields of the card "When" beside those of the schedule, and of the card "In case of trouble". */
export const described = { window: [], policies: [] };

const WINDOW = ['start', 'end', 'calendars', 'onExcluded', 'maxRuns', 'jitter'];
const ELSEWHERE = ['app', 'name', 'owner', 'tags', 'enabled', 'schedule', 'handler', 'data'];

/** A member's name in words: maxRuns is "Max runs". */
export function label(name) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/** The fields of a member; those of a nested object if it is one. */
function fieldsOf(at, name, member, schemas) {
  const schema = member.$ref || member.oneOf?.[0].$ref ? schemas[(member.$ref || member.oneOf[0].$ref).split('/').pop()] : member;
  const type = [].concat(schema.type)[0];
  const isWords = type === 'array' && schema.items.type === 'string';
  const isJson = type === 'array' && !isWords;
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([inner, of]) => fieldsOf(`${at}/${inner}`, `${name}, ${label(inner).toLowerCase()}`, of, schemas));
  }
  const form = isWords ? 'Separated by commas.' : isJson ? 'A list in JSON.' : schema.examples && `Such as ${schema.examples[0]}.`;
  return [{
    at, label: name, hint: [member.description || schema.description, form].filter(Boolean).join(' '),
    choices: schema.enum || schema.oneOf?.[0].enum, number: type === 'integer' || type === 'number', words: isWords, json: isJson,
  }];
}

/** Asks the node, once, which members a task has. */
export async function describe() {
  if (described.policies.length) return;
  const { schemas } = (await get('/openapi.json')).components;
  const members = Object.entries(schemas.TaskInput.properties).filter(([name]) => !ELSEWHERE.includes(name));
  const fields = (isWanted) => members.filter(([name]) => isWanted(name)).flatMap(([name, of]) => fieldsOf(`/${name}`, label(name), of, schemas));
  described.window = fields((name) => WINDOW.includes(name));
  described.policies = fields((name) => !WINDOW.includes(name));
}

export const DATA = [{ at: '/data', label: 'Data for the handler', json: true, wide: true, hint: 'any JSON' }];

const parts = (pointer) => pointer.split('/').slice(1);

/** The value at a JSON pointer whose members need no escape. */
export function read(draft, pointer) {
  return parts(pointer).reduce((value, member) => value?.[member], draft);
}

/** Sets the value at a pointer; undefined removes it, and the objects that are empty then. */
export function write(draft, pointer, value) {
  const names = parts(pointer);
  const last = names.pop();
  const chain = [draft];
  for (const name of names) {
    const parent = chain[chain.length - 1];
    if (typeof parent[name] !== 'object' || parent[name] === null) {
      if (value === undefined) return;
      parent[name] = {};
    }
    chain.push(parent[name]);
  }
  if (value !== undefined) {
    chain[chain.length - 1][last] = value;
    return;
  }
  delete chain[chain.length - 1][last];
  for (let i = chain.length - 1; i > 0 && Object.keys(chain[i]).length === 0; i--) delete chain[i - 1][names[i - 1]];
}

/** The text that a field shows for a value. */
export function text(field, value) {
  if (value === undefined || value === null) return '';
  if (field.words && Array.isArray(value)) return value.join(', ');
  if (field.json || typeof value === 'object') return JSON.stringify(value, null, field.json ? 2 : 0);
  return String(value);
}

/** The value of a field's text; undefined if it is empty. Throws a SyntaxError for JSON that cannot be read. */
export function value(field, typed) {
  const trimmed = field.long ? typed : typed.trim();
  if (trimmed === '') return undefined;
  if (field.words) return trimmed.split(',').map((word) => word.trim()).filter(Boolean);
  if (field.json || (field.long && /^\s*\[\s*"/.test(typed))) return JSON.parse(trimmed);
  if (field.number && /^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  return trimmed;
}

const isObject = (of) => typeof of === 'object' && of !== null && !Array.isArray(of);
const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** The merge patch (RFC 7396) that makes the second object of the first; null if they are equal. */
export function mergePatch(before, after) {
  const patch = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!(name in after)) patch[name] = null;
    else if (isObject(before[name]) && isObject(after[name])) {
      const inner = mergePatch(before[name], after[name]);
      if (inner) patch[name] = inner;
    } else if (!isEqual(before[name], after[name])) patch[name] = after[name];
  }
  return Object.keys(patch).length ? patch : null;
}

/** Applies a merge patch. */
export function merged(before, patch) {
  if (!isObject(patch)) return patch;
  const result = isObject(before) ? { ...before } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name];
    else result[name] = merged(result[name], change);
  }
  return result;
}

const ANSWERED = ['id', 'version', 'state', 'stateReason', 'pausedBy', 'pausedUntil', 'nextFireTime', 'previousFireTime', 'runs', 'createdAt', 'updatedAt',
  'definitionError', 'origins', 'enabled', 'warnings'];

/** The members of an answered task that users may write. */
export function editable(task) {
  const definition = structuredClone(task);
  ANSWERED.forEach((name) => delete definition[name]);
  Object.keys(definition).forEach((name) => { if (definition[name] === null || isEqual(definition[name], [])) delete definition[name]; });
  return definition;
}

/** What a task says about trouble, as [member, value]. */
export const policies = (task) => Object.entries(editable(task)).filter(([name]) => !ELSEWHERE.includes(name) && !['start', 'end', 'calendars'].includes(name));

/** The definition of a copy: values that came from defaults are left out, so that they stay defaults. */
export function copy(task) {
  const definition = editable(task);
  Object.keys(task.origins || {}).forEach((member) => write(definition, `/${member.replace('.', '/')}`, undefined));
  ['name', 'start'].forEach((member) => delete definition[member]);
  return definition;
}
