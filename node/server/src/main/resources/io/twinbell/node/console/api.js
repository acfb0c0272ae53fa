// Talks to the node that served this page, and finds the other node when this one stops answering.

const NODES = 'twinbell.nodes';
const PROBE_MILLIS = 1500;
const MOST_NODES = 8;
const LOADED_AGAIN = 'twinbell.loadedAgain';
const AGAIN_AFTER = 60_000;

export const live = { state: 'connecting', changed: () => {} };

/** What the frame does when the node refuses a change because the session has ended. */
export const refused = { needsSignIn: () => {} };

const tried = new Set();

/** Whether the page must be loaded again to reach the other node. At most once a minute, if that does not help. */
export const policy = { isOutdated: false };
addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
  const last = Number(sessionStorage.getItem(LOADED_AGAIN));
  if (effectiveDirective !== 'connect-src' || Date.now() - last < AGAIN_AFTER) return;
  sessionStorage.setItem(LOADED_AGAIN, Date.now());
  policy.isOutdated = true;
});

let aheadMillis = 0;

/** The time by the node's clock, to a second. */
export const nodeNow = () => Date.now() - aheadMillis;

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `the node answered ${status}`);
    this.status = status;
    this.errors = problem.errors || [];
  }
}

/** Sends a request; the answer's JSON, or null without content. Throws an ApiError, or an Error without a status if there is no answer. */
export async function send(method, path, body, token) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(20_000),
  }).catch(() => {
    throw new Error('This node does not answer. Try again.');
  });
  const date = Date.parse(answer.headers.get('Date') || '');
  if (date) aheadMillis = Math.abs(Date.now() - date) < 2000 ? 0 : Date.now() - date;
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  if (answer.status === 401 && method !== 'GET' && !token) refused.needsSignIn();
  const problem = await answer.json().catch(() => ({}));
  throw new ApiError(answer.status, problem);
}

/** Reads a list or an object; parameters without a value are left out. */
export function get(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  return send('GET', query.size ? `${path}?${query}` : path);
}

/** The same of what the database holds; null if it cannot be read. The answer of /api/v1/cluster shows why. */
export const stored = (path, parameters) => get(path, parameters).catch(() => null);

/**
 * Remembers where the nodes answer, for the time when this one does not. The page may connect only to the nodes that were
 * up when it was loaded, so each new address is tried at once, while the page can still be loaded again.
 */
export function remember(nodes) {
  const addresses = nodes.map((node) => node.http).filter((address) => /^https?:\/\/[^/]+$/.test(address || ''));
  if (addresses.length) localStorage.setItem(NODES, JSON.stringify(addresses.slice(0, MOST_NODES)));
  const up = nodes.filter((node) => node.role).map((node) => node.http);
  others().filter((address) => up.includes(address) && !tried.has(address)).forEach((address) => {
    tried.add(address);
    probe(address).catch(() => {});
  });
}

const probe = (address) => fetch(`${address}/health/live`, { mode: 'no-cors', signal: AbortSignal.timeout(PROBE_MILLIS) });

function others() {
  try {
    return JSON.parse(localStorage.getItem(NODES) || '[]').filter((address) => new URL(address).port !== location.port
      || new URL(address).hostname !== location.hostname);
  } catch {
    return [];
  }
}

/** Opens the same page at another node that answers. False if none does. */
export async function moveToOtherNode() {
  for (const address of others()) {
    try {
      await probe(address);
      const page = location.hash || '#/';
      location.replace(`${address}/${page}${page.includes('?') ? '&' : '?'}from=${encodeURIComponent(location.host)}`);
      return true;
    } catch {
      // This node does not answer either; the next one may.
    }
  }
  return false;
}

/**
 * Calls onChange after executions have changed. The browser reconnects by itself. While isWanted answers false, nothing is
 * asked: each request without a token would be recorded as a refused attempt.
 */
export function follow(onChange, isWanted) {
  const again = () => setTimeout(() => follow(onChange, isWanted), 3000);
  if (!isWanted()) {
    again();
    return;
  }
  const source = new EventSource('/api/v1/executions/stream');
  const set = (state) => {
    if (live.state !== state) {
      live.state = state;
      live.changed();
    }
  };
  source.onopen = () => set('live');
  source.onmessage = onChange;
  source.addEventListener('execution', onChange);
  source.addEventListener('reset', onChange);
  source.onerror = () => {
    set('not live');
    if (source.readyState === EventSource.CLOSED) again();
  };
}
