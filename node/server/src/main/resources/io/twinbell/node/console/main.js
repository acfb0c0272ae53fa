// Chooses the page by the address, keeps it current, and asks before it acts.

import {
  follow, get, live, moveToOtherNode, policy, refused, send, stored,
} from './api.js';
import { setUtc, usesUtc, zoneName } from './format.js';
import { h, show } from './html.js';
import { PAGES } from './pages.js';
import { alarm, countOn, standstill } from './parts.js';
import {
  address, caller, frame, link, notice, openDialog,
} from './shell.js';

const THEME = 'twinbell.theme';
const LOST_AFTER = 2;
const main = document.getElementById('main');
const LINKS = [['/', 'Overview', 'o'], ['/timeline', 'Timeline', 'l'], ['/tasks', 'Tasks', 't'], ['/executions', 'Executions', 'e'], ['/rules', 'Rules', 'r'], ['/cluster', 'Cluster', 'c'], ['/audit', 'Audit', 'a']];

/** Why the node began no session after a visit to the OpenID Connect provider. */
const SIGN_IN_FAILED = {
  'not-begun': 'This sign-in was not begun in this browser, or took too long. Sign in again.',
  refused: 'The OpenID Connect provider refused the sign-in.',
  'not-permitted': 'This account is not permitted to sign in. The log of the node says why.',
  'no-answer': 'The OpenID Connect provider does not answer. The log of the node says why.',
};

let timer = null;
let turn = 0;
let failures = 0;
/** Whether the page is the form to sign in, because the node answers nothing without a token. */
let isSignInShown = false;
let shown = '';

/** Whether the search of the page that is opened takes the focus. */
let isSearching = false;

/** What stands on the page now. */
let current = null;

/** Shows the same data again, after the page has changed it itself. */
function showAgain() {
  if (current) show(main, current.page.show(current.data, current.all));
}

/** An address that somebody typed may hold a % that begins no character. */
function isReadable(path) {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

async function reload() {
  // A page with a form keeps what is typed.
  if (current?.page.keeps && shown === location.hash) return;
  clearTimeout(timer);
  const mine = ++turn;
  const { path, parameters } = address();
  const found = isReadable(path) && PAGES.map(([pattern, page]) => [path.match(pattern), page]).find(([match]) => match);
  if (!found) {
    show(main, [h('h1', {}, 'No such page'), h('p', {}, link('/', 'Go to the overview'))]);
    return;
  }
  const [match, page] = found;
  const all = { ...parameters, ...Object.fromEntries(Object.entries(match.groups || {}).map(([name, value]) => [name, decodeURIComponent(value)])) };
  try {
    const data = await page.load(all);
    if (mine !== turn) return;
    // A dialog or a form would lose what is typed.
    if (policy.isOutdated && !page.keeps && !document.querySelector('dialog')) {
      location.reload();
      return;
    }
    if (failures > 0) notice('');
    failures = 0;
    const isNew = shown !== location.hash;
    if (isNew) show(main, []);
    current = { page, data, all };
    showAgain();
    document.title = `${main.querySelector('h1')?.textContent || page.title} – Twinbell`;
    if (isNew && shown !== '') window.scrollTo(0, 0);
    if (isSearching) document.getElementById('search')?.focus();
    // The element that had the focus may be gone; a screen reader continues with the new page.
    else if (isNew && shown && document.activeElement === document.body) main.focus({ preventScroll: true });
    isSearching = false;
    shown = location.hash;
    isSignInShown = false;
  } catch (e) {
    if (mine === turn) await failed(e, page);
  }
  header();
  // The form keeps what is typed into it. Signing in, here or in another tab, loads the page.
  if (mine === turn && page.every && !isSignInShown) timer = setTimeout(() => (document.hidden ? null : reload()), failures ? 700 : page.every);
}

async function failed(e, page) {
  isSignInShown = e.status === 401;
  if (isSignInShown) {
    current = null;
    shown = null;
    show(main, [signInForm('card signin', null)]);
    return;
  }
  if (e.status && e.status < 500) {
    show(main, [h('h1', {}, 'This page cannot be shown'), h('p', { class: 'banner' }, e.message), h('p', {}, link('/', 'Go to the overview'))]);
    return;
  }
  failures += 1;
  if (e.status) {
    const pair = await stored('/api/v1/cluster');
    notice(`The node answers with an error: ${e.message}`, true);
    // What the page has shown so far stays.
    if (shown !== location.hash) show(main, [h('h1', {}, page.title), alarm(pair && standstill(pair.nodes)), h('p', {}, link('/', 'The Overview'), ' shows what the nodes know by themselves. This page follows as soon as it can be read.')]);
  } else {
    notice('Not live: this node does not answer. Looking for the other node.', true);
    if (failures >= LOST_AFTER) await moveToOtherNode();
  }
}

/** @param cancel closes the dialog that has the form; null if the form is the page */
function signInForm(tone, cancel) {
  const error = h('p', { class: 'wrong', role: 'alert' });
  return h('form', {
    class: tone,
    onsubmit: async (event) => {
      event.preventDefault();
      const token = new FormData(event.target).get('token').trim();
      try {
        caller.session = await send('POST', '/api/v1/session', undefined, token);
        event.target.reset();
        notice('');
        cancel?.();
        header();
        showAgain();
        reload();
      } catch (e) {
        error.textContent = e.message;
      }
    },
  }, h(cancel ? 'h2' : 'h1', {}, 'Sign in'), h('p', {}, 'Enter a token of this pair. An administrator creates one with twinbell token create.'),
  caller.session.signInPage && h('p', {}, 'Or sign in with your account: ', current?.page.keeps
    ? h('a', { href: caller.session.signInPage, target: '_blank' }, 'go to the provider in a new tab, then come back to this form')
    : h('a', { href: caller.session.signInPage }, 'go to the provider')),
  h('label', {}, 'Token', h('input', { name: 'token', type: 'password', required: true, autocomplete: 'off', maxlength: 400, id: 'token' })),
  error,
  h('div', { class: 'acts' }, cancel && h('button', { type: 'button', onclick: cancel }, 'Cancel'), h('button', { class: 'primary' }, 'Sign in')));
}

/** The page stays beneath the dialog, with all that is typed in it. */
function askForToken() {
  const entry = document.getElementById('token');
  if (entry) {
    entry.focus();
    return;
  }
  const dialog = openDialog('Sign in', signInForm(null, () => dialog.close()));
}

async function readSession() {
  caller.session = await get('/api/v1/session').catch(() => caller.session);
  header();
}

/** The session has ended, or another tab has begun one. */
async function sessionEnded() {
  const wasSignedIn = caller.session.signedIn;
  await readSession();
  if (wasSignedIn && !caller.session.signedIn) askForToken();
}

async function signOut() {
  await send('DELETE', '/api/v1/session').catch((e) => notice(e.message, true));
  await readSession();
  showAgain();
  reload();
}

function help() {
  const keys = [['/', 'search'], ...LINKS.map(([, name, key]) => [`g ${key}`, `go to ${name}`]), ['?', 'this help'], ['Esc', 'close']];
  const dialog = openDialog('Keyboard', h('h2', {}, 'Keyboard'),
    h('dl', { class: 'facts' }, keys.map(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
    h('div', { class: 'acts' }, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close')));
}

function theme(value) {
  if (value) document.documentElement.dataset.theme = value;
}

function isDark() {
  return (document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
}

/** The stream of changes may outlive the answers to requests and the database, and the other way round. */
function liveState() {
  if (live.state !== 'live') return live.state;
  if (failures > 0) return 'not live';
  return current?.data?.cluster?.history === null ? 'no database' : 'live';
}

/** Pages of single alerts and calendars belong to the rules. */
function isAt(to, path) {
  return to === '/' ? path === '/' : path.startsWith(to) || (to === '/rules' && /^\/(alerts|calendars)\//.test(path));
}

function changeZone() {
  setUtc(!usesUtc());
  header();
  showAgain();
  reload();
}

function changeColours() {
  const next = isDark() ? 'light' : 'dark';
  localStorage.setItem(THEME, next);
  theme(next);
  header();
}

/** A switch that shows its present state; on a phone, without its name. */
const toggle = (name, state, title, onclick) => h('button', {
  type: 'button', title, onclick, 'aria-label': `${name}: ${state}`,
}, h('span', { class: 'wide' }, `${name}:\u00a0`), state);

function header() {
  const { path } = address();
  show(document.getElementById('top'),
    h('a', { class: 'brand', href: '#/', 'aria-label': 'Twinbell' }, h('img', { src: '/console/icon.svg', alt: '', width: 24, height: 24 }), h('span', {}, 'Twinbell')),
    h('nav', { 'aria-label': 'Main' }, LINKS.map(([to, name]) => h('a', {
      href: `#${to}`, 'aria-current': isAt(to, path) ? 'page' : null,
    }, name))),
    h('div', { class: 'tools' },
      h('span', { class: `live ${liveState() === 'live' ? 'on' : 'off'}` }, liveState()),
      toggle('Times', usesUtc() ? 'UTC' : 'local', `Times are in ${zoneName()}. Change to ${usesUtc() ? 'local time' : 'UTC'}.`, changeZone),
      toggle('Colours', isDark() ? 'dark' : 'light', `Change to ${isDark() ? 'light' : 'dark'} colours.`, changeColours),
      caller.session.signedIn
        ? h('button', { type: 'button', title: `Signed in as ${caller.session.principal}`, onclick: signOut }, 'Sign out')
        : caller.session.needsToken && h('button', { type: 'button', onclick: askForToken }, 'Sign in'),
      h('button', { type: 'button', 'aria-label': 'Keyboard help', onclick: help }, '?')));
}

let isGoing = false;
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector('dialog')) return;
  const to = isGoing && LINKS.find(([, , key]) => key === event.key);
  isGoing = event.key === 'g';
  if (to) {
    [location.hash] = to;
  } else if (event.key === '?') {
    help();
  } else if (event.key === '/') {
    event.preventDefault();
    const field = document.getElementById('search');
    if (field) {
      field.focus();
    } else {
      isSearching = true;
      location.hash = '/tasks';
    }
  }
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

theme(localStorage.getItem(THEME));
const { from, ...others } = address().parameters;
if (from) {
  const query = new URLSearchParams(others);
  history.replaceState(null, '', `/#${address().path}${query.size ? `?${query}` : ''}`);
  notice(`${from} stopped answering. This page continues at ${location.host}.`);
}
if (others.signInFailed) {
  history.replaceState(null, '', '/');
  notice(SIGN_IN_FAILED[others.signInFailed] || '', true);
}
live.changed = header;
frame.reload = reload;
frame.show = showAgain;
header();
refused.needsSignIn = sessionEnded;
await readSession();
addEventListener('hashchange', () => {
  notice('');
  reload();
});
setInterval(countOn, 1000);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', header);
document.addEventListener('visibilitychange', async () => {
  if (document.hidden) return;
  if (!caller.session.signedIn) await readSession();
  showAgain();
  reload();
});
await reload();

/** Changes that follow each other closely lead to one reading. */
let isDue = false;
follow(() => {
  if (isDue || document.hidden) return;
  isDue = true;
  setTimeout(() => { isDue = false; reload(); }, 1000);
}, () => !isSignInShown);
