// What pages and the frame around them share: the address, the caller's permissions, notices, and questions before an act.

import { h, show } from './html.js';

/** Who the caller is. */
export const caller = { session: { permissions: [], apps: [] } };

/** How the page is read again after an act, or shown again with the same data; the frame around the pages sets both. */
export const frame = { reload: async () => {}, show: () => {} };

/** Whether the caller may do this in an app, or with the whole pair. The node decides again. */
export function may(permission, scope) {
  return caller.session.permissions.includes(permission)
    && (caller.session.apps.length === 0 || caller.session.apps.includes(scope));
}

/** The body of an act that records who asked and why. */
export const asked = (reason) => ({ reason, by: caller.session.principal });

export const link = (path, ...content) => h('a', { href: `#${path}` }, ...content);

export const address = () => {
  const [path, query] = (location.hash.slice(1) || '/').split('?');
  return { path, parameters: Object.fromEntries(new URLSearchParams(query || '')) };
};

/** Shows the same page with these parameters. */
export function go(parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([name, value]) => value && name !== 'id'));
  location.hash = address().path + (query.size ? `?${query}` : '');
}

export function notice(text, isBad, ...more) {
  show(document.getElementById('notice'), text ? [h('p', { class: isBad ? 'bad' : null }, text, ' ', ...more)] : []);
}

/** Goes to another page and says there what was done. */
export function leaveTo(path, text) {
  addEventListener('hashchange', () => setTimeout(() => notice(text)), { once: true });
  location.hash = path;
}

/** Opens a dialog. When it closes, the focus goes back to where it was, or to the page if that is gone. */
export function openDialog(title, ...content) {
  const opener = document.activeElement;
  const dialog = h('dialog', { 'aria-label': title }, content);
  dialog.onclose = () => {
    dialog.remove();
    (opener?.isConnected && opener !== document.body ? opener : document.getElementById('main')).focus({ preventScroll: true });
  };
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** What an act returns to be shown: a text, or parts of one. */
const isShown = (done) => typeof done === 'string' || Array.isArray(done);

/**
 * Asks, takes a reason if there is one to give, acts, and shows what came of it. The act receives the reason and the
 * values of further fields.
 */
export function act(title, text, run, asksReason = true, ...fields) {
  const error = h('p', { class: 'wrong', role: 'alert' });
  const dialog = openDialog(title, h('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      const submit = event.target.querySelector('.primary');
      submit.disabled = true;
      try {
        const form = new FormData(event.target);
        const done = await run(form.get('reason')?.trim(), form);
        dialog.close();
        notice(isShown(done) ? done : `Done: ${title.replace('?', '').toLowerCase()}.`);
        await frame.reload();
        if (document.activeElement === document.body) document.getElementById('main').focus({ preventScroll: true });
      } catch (e) {
        submit.disabled = false;
        // The message repeats the first of the errors.
        error.textContent = e.errors?.length ? e.errors.map((one) => `${one.pointer || one.parameter || ''}: ${one.detail}`).join('\n') : e.message;
      }
    },
  }, h('h2', {}, title), h('p', {}, text),
  asksReason && h('label', {}, asksReason === 'optional' ? 'Reason, if there is one to record' : 'Reason', h('input', { name: 'reason', required: asksReason !== 'optional', maxlength: 500, autocomplete: 'off' })),
  fields,
  error,
  h('div', { class: 'acts' }, h('button', { type: 'button', onclick: () => dialog.close() }, title.startsWith('Cancel') ? 'Back' : 'Cancel'), h('button', { class: 'primary' }, title.replace('?', '')))));
}
