// The pages that create, copy and change a task: as a form, YAML or JSON, checked by the node while typing.

import { get, send } from './api.js';
import {
  copy, DATA, describe, described, editable, HANDLERS, IDENTITY, merged, mergePatch, read, SCHEDULES, text, value, write,
} from './fields.js';
import { instant, zoneName } from './format.js';
import { h } from './html.js';
import { badge, button, card } from './parts.js';
import { caller, frame, leaveTo, link, may } from './shell.js';

const CHECK_AFTER = 350;
const ASK_AGAIN_AFTER = 2000;
const FIRES = 8;

/** The task that is being edited; replaced when an editor page is opened. */
let state = null;

function begin(base, draft, of) {
  state = {
    of, base: base ?? structuredClone(draft), draft, view: 'form', round: 0, version: of?.version, problems: [], broken: {}, touched: new Set(), isSubmitted: false,
    before: null, after: null, conflict: null, fault: null, checks: 0, timer: null, isSaving: false,
  };
  if (mayEdit()) check();
  return state;
}

/** A new task may belong to each app of the caller; the node checks which one is entered. */
const mayEdit = () => (state.of ? may('EDIT', state.of.app) : caller.session.permissions.includes('EDIT'));

const isChanged = () => Boolean(state && (state.fault || Object.keys(state.broken).length || mergePatch(state.base, state.draft)));

async function preview(definition) {
  const { schedule, start, end, calendars, onExcluded, jitter, app, name } = definition;
  if (!schedule) return null;
  return send('POST', '/api/v1/schedules/preview', {
    schedule, count: FIRES, ...(start && { start }), ...(end && { end }), ...(calendars && { calendars, ...(onExcluded && { onExcluded }) }),
    ...(app && name && { app, name, ...(jitter && { jitter }) }),
  }).catch((e) => ({ error: e.errors?.[0]?.detail || e.message, fireTimes: [] }));
}

/** Without an answer, and while nobody is signed in. */
const mayComeBack = (e) => !e.status || e.status === 401;

/** A node that does not answer may come back; what is typed stays here until then. */
function askAgain(mine) {
  mine.isUnanswered = true;
  clearTimeout(mine.timer);
  mine.timer = setTimeout(check, ASK_AGAIN_AFTER);
}

/** Asks the node whether it accepts the draft, and when it would fire. */
async function check() {
  const mine = state;
  // The page may have been left while the check was waiting for the typing to end.
  if (!mine) return;
  const turn = ++mine.checks;
  const answer = await send('POST', `/api/v1/tasks/batch?dryRun=true&ifExists=${mine.of ? 'REPLACE' : 'REFUSE'}`, [mine.draft]).catch((e) => ({ failed: e }));
  const item = answer.items?.[0];
  const found = answer.failed ? problems(answer.failed) : item.problem ? problems(item.problem) : [];
  const wrong = found.find((one) => /^\/(schedule|start|end|jitter|calendars|onExcluded)/.test(one.pointer));
  const after = wrong ? { error: wrong.detail, fireTimes: [] } : await preview(mine.draft);
  const before = mine.before || (mine.of && (mine.of.nextFireTime ? await preview(mine.base) : { error: 'It does not fire any more.', fireTimes: [] }));
  if (mine !== state || turn !== mine.checks) return;
  Object.assign(mine, { problems: found, after, before, isUnanswered: false });
  if (answer.failed && mayComeBack(answer.failed)) askAgain(mine);
  frame.show();
}

const problems = (of) => (of.errors?.length ? of.errors : [{ pointer: '', detail: of.detail || of.message }]);

function changed() {
  clearTimeout(state.timer);
  state.timer = setTimeout(check, CHECK_AFTER);
  frame.show();
}

function typed(field, entered) {
  state.touched.add(field.at);
  delete state.broken[field.at];
  try {
    write(state.draft, field.at, value(field, entered));
  } catch (e) {
    state.broken[field.at] = `is not JSON: ${e.message}`;
  }
  changed();
}

const isAt = (field, { pointer }) => pointer === field.at || pointer?.startsWith(`${field.at}/`);

function control(field, id, attributes) {
  const now = read(state.draft, field.at);
  const all = { id, ...attributes };
  if (field.choices || field.meanings) {
    const known = field.choices || Object.keys(field.meanings);
    const empty = field.isDetected ? 'by the expression' : field.standard ? `default (${field.standard})` : 'default';
    const others = now !== undefined && !known.includes(now) ? [text(field, now)] : [];
    return h('select', { ...all, onchange: (event) => typed(field, event.target.value) },
      h('option', { value: '', selected: now === undefined }, empty),
      [...known, ...others].map((one) => h('option', { value: one, selected: now === one || others.includes(one), disabled: others.includes(one) }, one)));
  }
  const shown = text(field, now);
  if (field.long || field.json) {
    return h('textarea', { ...all, rows: Math.min(12, Math.max(2, shown.split('\n').length)), spellcheck: 'false', oninput: (event) => typed(field, event.target.value) }, shown);
  }
  return h('input', {
    ...all, value: shown, autocomplete: 'off', spellcheck: 'false', maxlength: 4000, list: field.list, inputmode: field.number ? 'decimal' : null,
    readonly: Boolean(field.isKey && state.of), oninput: (event) => typed(field, event.target.value),
  });
}

function row(field) {
  const id = `f${state.round}${field.at.replace(/\//g, '-')}`;
  const found = state.broken[field.at] || ((state.isSubmitted || state.touched.has(field.at) || state.of)
    && state.problems.filter((one) => isAt(field, one)).map((one) => one.detail).join('\n'));
  const chosen = field.meanings?.[read(state.draft, field.at) ?? field.standard];
  return h('div', { class: `field ${field.wide ? 'wide' : ''}`, id: `${id}-box` },
    h('label', { for: id, class: field.required && 'required' }, field.label),
    control(field, id, { 'aria-describedby': `${id}-note`, 'aria-invalid': found ? 'true' : null, required: field.required }),
    h('p', { class: found ? 'note wrong' : 'note', id: `${id}-note` }, found || chosen || field.hint || ''));
}

/** A choice of a kind, which replaces the whole member by an example. */
function kind(label, kinds, chosen, replace) {
  const id = `f${state.round}-${label}`;
  return h('div', { class: 'field wide', id: `${id}-box` }, h('label', { for: id }, label),
    h('select', { id, onchange: (event) => replace(event.target.value) },
      !chosen && h('option', { value: '', selected: true }, 'choose'),
      Object.entries(kinds).map(([name, of]) => h('option', { value: name, selected: name === chosen }, of.label))));
}

const kindOfSchedule = () => Object.keys(SCHEDULES).find((name) => state.draft.schedule && name in state.draft.schedule);

function replace(member, example) {
  state.draft[member] = structuredClone(example);
  state.round += 1;
  changed();
}

function shownFields() {
  return [...IDENTITY, ...(SCHEDULES[kindOfSchedule()]?.fields || []), ...described.window, ...(HANDLERS[state.draft.handler?.type]?.fields || []), ...described.policies, ...DATA];
}

function form() {
  const schedule = kindOfSchedule();
  const handler = state.draft.handler?.type;
  return [
    h('datalist', { id: 'zones' }, Intl.supportedValuesOf('timeZone').map((name) => h('option', { value: name }))),
    card('Which task', h('div', { class: 'fields' }, IDENTITY.map(row))),
    card('When', h('div', { class: 'fields' },
      kind('Schedule', SCHEDULES, schedule, (name) => replace('schedule', SCHEDULES[name].example)),
      SCHEDULES[schedule]?.fields.map(row), described.window.map(row))),
    card('What', h('div', { class: 'fields' },
      kind('Handler', HANDLERS, HANDLERS[handler] ? handler : null, (name) => replace('handler', HANDLERS[name].example)),
      HANDLERS[handler]?.fields.map(row), DATA.map(row))),
    card('In case of trouble', h('div', { class: 'fields' }, described.policies.map(row))),
  ];
}

/** Reads and writes YAML; loaded with the first editor page, because no other page needs it. So is what a task may have. */
let yaml = null;

async function ready() {
  yaml ??= await import('./js-yaml.mjs');
  await describe();
}

/** The texts in which a definition can be written. */
const LANGUAGES = {
  yaml: {
    label: 'YAML',
    write: (draft) => yaml.dump(draft, { schema: yaml.CORE_SCHEMA, lineWidth: 100, noRefs: true }),
    read: (text) => yaml.load(text, { schema: yaml.CORE_SCHEMA }),
    fault: (e) => (e.mark ? `${e.reason}, in line ${e.mark.line + 1}` : e.message),
  },
  json: { label: 'JSON', write: (draft) => JSON.stringify(draft, null, 2), read: JSON.parse, fault: (e) => e.message },
};

function source({ label, write: written, read: parsed, fault }) {
  const id = `f${state.round}-source`;
  return card('Definition', h('label', { for: id }, `As ${label}`), h('textarea', {
    id, class: 'source', rows: 28, spellcheck: 'false', 'aria-describedby': `${id}-note`, 'aria-invalid': state.fault ? 'true' : null,
    oninput: (event) => {
      try {
        const entered = parsed(event.target.value);
        if (typeof entered !== 'object' || entered === null || Array.isArray(entered)) throw new SyntaxError('an object is expected');
        state.fault = null;
        state.draft = entered;
      } catch (e) {
        state.fault = fault(e);
      }
      changed();
    },
  }, written(state.draft)), h('p', { class: 'note wrong', id: `${id}-note` }, state.fault || ''));
}

function fires(title, of, other) {
  const known = new Set(other?.fireTimes || []);
  return h('div', {}, h('h3', { class: 'small' }, title), !of ? h('p', { class: 'quiet' }, 'No schedule yet.')
    : of.error ? h('p', { class: 'wrong' }, of.error)
      : [h('p', { class: 'words' }, of.description), h('ol', { class: 'fires' }, of.fireTimes.map((at) => h('li', { class: other && !other.error && !known.has(at) ? 'differs' : null },
        instant(at), of.marks?.[at] && [' ', badge(of.marks[at])], other && !other.error && !known.has(at) && h('span', { class: 'hidden' }, ' differs'))))]);
}

/** Names the fields of the form that need attention. */
function waitingFor() {
  if (state.view !== 'form') return '';
  const labels = shownFields().filter((field) => state.broken[field.at] || state.problems.some((one) => isAt(field, one))).map(({ label }) => label);
  return labels.length ? `: ${labels.join(', ')}` : '';
}

function side() {
  const other = state.problems.filter((one) => state.view !== 'form' || !shownFields().some((field) => isAt(field, one)));
  // What is no JSON was not sent to the node.
  const unread = Object.keys(state.broken).length + (state.fault ? 1 : 0);
  const waiting = state.problems.length - other.length + unread;
  return h('aside', { class: 'side', 'aria-label': 'Check' },
    card(`Next fire times, ${zoneName()}`, h('div', { class: 'compare' }, state.of && fires('Now', state.before, state.after), fires(state.of ? 'After saving' : 'By this schedule', state.after, state.of && state.before))),
    h('section', { class: `card verdict ${state.problems.length + unread ? '' : 'good'}`, 'aria-live': 'polite' }, h('h2', {}, 'Check by the node'),
      state.problems.length + unread === 0 ? h('p', {}, state.checks ? 'The node would accept this definition.' : 'Checking…')
        : [h('p', {}, waiting > 0 ? `${waiting} ${waiting === 1 ? 'field needs' : 'fields need'} attention${waitingFor()}.` : state.isUnanswered ? 'Not checked:' : 'The node would refuse it:'),
          other.length > 0 && h('ul', { class: 'wrong' }, other.map((one) => h('li', {}, one.pointer && h('code', {}, one.pointer), ' ', one.detail)))],
      state.of && h('p', { class: 'quiet' }, mergePatch(state.base, state.draft) ? `Changes: ${Object.keys(mergePatch(state.base, state.draft)).join(', ')}.` : 'No changes yet.')),
    h('div', { class: 'acts' },
      h('button', { form: 'definition', class: 'primary' }, state.of ? 'Save' : 'Create'), link(state.of ? `/tasks/${state.of.id}` : '/tasks', 'Cancel')));
}

function conflict() {
  const { theirs } = state.conflict;
  const mine = mergePatch(state.base, state.draft) || {};
  const others = mergePatch(state.base, editable(theirs)) || {};
  const both = Object.keys(mine).filter((name) => name in others);
  return h('section', { class: 'card alarm', role: 'alert' }, h('h2', {}, 'Changed meanwhile'),
    h('p', {}, `Version ${theirs.version} was saved while you edited version ${state.version}. The other user changed: ${Object.keys(others).join(', ') || 'nothing of the definition'}. `
      + `You changed: ${Object.keys(mine).join(', ') || 'nothing'}.`),
    both.length > 0 && h('p', { class: 'wrong' }, `Both changed ${both.join(', ')}: yours would replace theirs.`),
    h('div', { class: 'acts' },
      button('Put my changes on theirs', () => rebase(merged(editable(theirs), mine))),
      button('Discard my changes', () => rebase(editable(theirs)))));
}

function rebase(draft) {
  const { theirs } = state.conflict;
  Object.assign(state, { of: theirs, base: editable(theirs), draft, version: theirs.version, conflict: null, before: null, round: state.round + 1 });
  changed();
}

function showFaults() {
  frame.show();
  document.querySelector('.alarm, [aria-invalid]')?.scrollIntoView({ block: 'center' });
  document.querySelector('[aria-invalid]')?.focus();
}

async function save() {
  if (state.isSaving) return;
  state.isSubmitted = true;
  if (state.fault || Object.keys(state.broken).length) {
    showFaults();
    return;
  }
  const mine = state;
  mine.isSaving = true;
  try {
    if (mine.of) {
      const patch = mergePatch(mine.base, mine.draft);
      if (patch) await send('PATCH', `/api/v1/tasks/${mine.of.id}`, { ...patch, version: mine.version });
      leave(mine.of.id, patch ? 'Saved.' : 'Nothing was changed.');
    } else {
      leave((await send('POST', '/api/v1/tasks', mine.draft)).id, 'Created.');
    }
  } catch (e) {
    if (e.status === 409 && mine.of) mine.conflict = { theirs: await get(`/api/v1/tasks/${mine.of.id}`).catch(() => null) };
    if (!mine.conflict?.theirs) {
      mine.conflict = null;
      mine.problems = problems(e);
      if (mayComeBack(e)) askAgain(mine);
    }
    showFaults();
  } finally {
    mine.isSaving = false;
  }
}

function leave(id, text) {
  state = null;
  leaveTo(`/tasks/${id}`, text);
}

function switchTo(view) {
  if (state.fault) return;
  state.view = view;
  state.round += 1;
  frame.show();
}

function show(heading) {
  if (!state) return [];
  // Who signs in at the form gets it checked then.
  if (mayEdit() && !state.checks) state.timer ??= setTimeout(check);
  if (!mayEdit()) return [h('h1', {}, heading), h('p', { class: 'banner' }, 'Changing tasks needs the role EDITOR. Sign in with such a token.')];
  return [
    h('div', { class: 'head' }, h('h1', {}, heading), h('div', { class: 'acts', role: 'group', 'aria-label': 'View' },
      ['form', ...Object.keys(LANGUAGES)].map((view) => h('button', { type: 'button', 'aria-pressed': String(state.view === view), onclick: () => switchTo(view) }, LANGUAGES[view]?.label || 'Form')))),
    state.conflict && conflict(),
    h('div', { class: 'editor' }, h('form', { id: 'definition', novalidate: true, onsubmit: (event) => { event.preventDefault(); save(); } },
      state.view === 'form' ? form() : source(LANGUAGES[state.view])), side()),
  ];
}

async function find(id) {
  await ready();
  return get(`/api/v1/tasks/${encodeURIComponent(id)}`);
}

const create = {
  title: 'New task',
  keeps: true,
  load: async () => {
    await ready();
    const [app, ...others] = caller.session.apps;
    return begin(null, { ...(app && !others.length && { app }), schedule: structuredClone(SCHEDULES.cron.example), handler: structuredClone(HANDLERS.http.example) }, null);
  },
  show: () => show('New task'),
};

const clone = {
  title: 'Copy of a task',
  keeps: true,
  async load({ id }) {
    const of = await find(id);
    return { of, state: begin(null, copy(of), null) };
  },
  show: ({ of }) => show(`Copy of ${of.app} / ${of.name}`),
};

const edit = {
  title: 'Edit',
  keeps: true,
  async load({ id }) {
    const of = await find(id);
    return { of, state: begin(editable(of), editable(of), of) };
  },
  show: ({ of }) => show(`Edit ${of.app} / ${of.name}`),
};

addEventListener('hashchange', (event) => {
  if (isChanged() && !confirm('Leave this page and discard your changes?')) {
    // The address names the form again, and the other listeners do not learn that it was left.
    history.replaceState(null, '', event.oldURL);
    event.stopImmediatePropagation();
    return;
  }
  state = null;
});
addEventListener('beforeunload', (event) => {
  if (isChanged()) event.preventDefault();
});

export const EDITORS = [[/^\/tasks\/new$/, create], [/^\/tasks\/(?<id>\d+)\/copy$/, clone], [/^\/tasks\/(?<id>\d+)\/edit$/, edit]];
