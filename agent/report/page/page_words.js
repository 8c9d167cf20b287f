// The page draws the stacks of a report, of allocations or of time. Its script is the files that
// page.cmake names, one after the other; here are figures and names for people.
//
// Names come from a program and are hostile: they become text and attributes of elements, never HTML.
'use strict';
const byId = (id) => document.getElementById(id);

const grouped = (n) => n.toLocaleString('en-US');
function humanBytes(bytes) {
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  if (Math.abs(bytes) < 1024) return `${bytes} B`;
  let value = bytes / 1024, unit = 0;
  while (Math.abs(value) >= 1023.95 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
function humanDuration(ms) {
  const s = Math.floor(ms / 1000);
  if (ms < 1000) return `${ms} ms`;
  if (s < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}
function humanNs(ns) {
  if (ns >= 60e9) return humanDuration(Math.round(ns / 1e6));
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]]) {
    if (ns >= size) return `${(ns / size).toPrecision(ns / size >= 999.5 ? 4 : 3)} ${unit}`;
  }
  return `${ns} ns`;
}
const percent = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) : '0.0') + '%';
const many = (n, one, several = one + 's') => (n === 1 ? `1 ${one}` : `${grouped(n)} ${several}`);
const times = (n) => many(n, oneOf);
const signed = (words, n) => (n > 0 ? `+${words(n)}` : n < 0 ? `\u2212${words(-n)}` : words(0));

// The library of a native frame: "libjvm.so" of "libjvm.so.os::malloc(unsigned long)". A C++ name has
// dots of its own ("f(int) [clone .part.0]").
const libraryOf = (name) =>
    (summary.engine === 'malloc' && /^[^.()]+\.so(?:\.\d+)*(?=\.)/.exec(name)?.[0]) || '';
// "a.b.Cls.method" -> "Cls.method", "a.b.Cls[]" -> "Cls[]", "libjvm.so.os::malloc()" -> "os::malloc()".
function withoutPackage(name, aClass) {
  const symbol = name.slice(libraryOf(name).length + 1);
  if (libraryOf(name)) return symbol.startsWith('0x') ? name : symbol;
  const owner = aClass ? name.length : name.lastIndexOf('.');
  return name.slice(name.lastIndexOf('.', owner - 1) + 1);
}
// Of a method.
function packageOf(name) {
  if (libraryOf(name)) return libraryOf(name);
  const owner = name.slice(0, name.lastIndexOf('.'));
  return owner.slice(0, Math.max(owner.lastIndexOf('.'), 0));
}

// What stands above the graph. q: a search that a click on it is for.
const card = (name, value, words, q) => ({name, value, words, q});
// make: of the chosen ends {rows, columns, ...} as showTable() takes them.
const tab = (id, short, title, make) => ({id, short, title, make});
// The page's tables have their rows as lists.
const asRows = (lists, ...keys) =>
    lists.map((list) => Object.fromEntries(keys.map((key, i) => [key, list[i]])));

function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on'))
      made.addEventListener(key.slice(2), value);
    else
      made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}
