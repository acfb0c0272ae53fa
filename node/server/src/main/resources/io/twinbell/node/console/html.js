// Builds and updates the page. Text is always set as text, so nothing from the server is parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'rect', 'title', 'g']);

/** Returns an element. Attributes that begin with "on" are listeners; null and false are left out. */
export function h(tag, attributes, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  element.listeners = {};
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) {
      element.listeners[name] = value;
      element[name] = value;
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return element;
}

/** Makes the children of an element equal to these, and keeps what is equal already: the focus, a selection, a typed text. */
export function show(parent, ...children) {
  patch(parent, children.flat(3).filter(Boolean));
}

function patch(parent, wanted) {
  const present = [...parent.childNodes];
  wanted.forEach((next, i) => {
    const now = present[i];
    if (!now) {
      parent.append(next);
    } else if (now.nodeType !== next.nodeType || now.nodeName !== next.nodeName || now.id !== next.id) {
      now.replaceWith(next);
    } else if (now.nodeType === Node.TEXT_NODE) {
      if (now.data !== next.data) now.data = next.data;
    } else {
      patchElement(now, next);
    }
  });
  present.slice(wanted.length).forEach((surplus) => surplus.remove());
}

function patchElement(now, next) {
  for (const { name } of [...now.attributes]) {
    if (!next.hasAttribute(name) && !(now.nodeName === 'DETAILS' && name === 'open')) now.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
  const before = now.listeners || {};
  const after = next.listeners || {};
  Object.keys(before).filter((name) => !(name in after)).forEach((name) => { now[name] = null; });
  Object.assign(now, after);
  now.listeners = after;
  patch(now, [...next.childNodes]);
}
