// Draws the merged stacks of a report, of allocations or of time. Reads the JSON in #data, whose
// shape report_html.cpp describes; flame_graph_picture.js, flame_graph_allocations.js and
// flame_graph_kinds.js (what there is to say of each kind of figures) and flame_graph_page.js go on
// in the same script. Keeps its state (search, zoom, measure, direction, order) in the URL's
// fragment: #q=REGEX&zoom=NAME;NAME&of=recent&by=count&view=flame&sort=type. zoom is a path from
// the root, or the name of one frame, which then means the widest frame of that name. Facts that a
// test can read stand in data- attributes of #report and #match.
'use strict';
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const {summary} = data;
// What the graph and the tables may be about, as far as the page has it; the first one is shown.
const scopes = [
  ['run', 'Whole run', 'every allocation since tracking began', 'allocations'],
  ['live', 'Live', 'what is still alive', 'allocations'],
  ['recent', 'Recent', 'the allocations recorded last', 'allocations'],
  ['times', 'Methods', 'what the timed methods took', 'times'],
  ['samples', 'Samples', 'where threads used the CPU', 'samples'],
  ['locks', 'Locks', 'where threads waited for locks and for each other', 'locks'],
];
const sources = {
  run: data.run,
  live: data.live,
  recent: data.time_alone ? undefined :
                            {...data, bytes: data.recorded_bytes, count: data.recorded_count},
  times: data.times,
  samples: data.samples,
  locks: data.locks,
};
const offered = scopes.filter(([name]) => sources[name] && sources[name].count > 0);
const scopeOf = (name) => scopes.find((scope) => scope[0] === name);
let source, kind, frames, classes, tree, names, nodeCount, totals, children;
const sampled = summary.interval > 0;  // every figure of allocations is an estimate
const about = sampled ? '\u2248 ' : '';
// Of what the graph is about: live=1/N follows one object in N.
const aboutShown = () =>
    (kind === kinds.allocations && (sampled || (source === data.live && summary.live_estimated)) ?
         '\u2248 ' :
         '');
const isClass = (node) => tree.name[node] >= frames.length;
const nameOf = (node) => (node === 0 ? 'all' : names[tree.name[node]]);

// ---- words -------------------------------------------------------------------------------

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
const times = (n) => many(n, 'allocation');

// "a.b.Cls.method" -> "Cls.method", "a.b.Cls[]" -> "Cls[]".
function withoutPackage(name, aClass) {
  const owner = aClass ? name.length : name.lastIndexOf('.');
  return name.slice(name.lastIndexOf('.', owner - 1) + 1);
}
function packageOf(name) {
  const owner = name.slice(0, name.lastIndexOf('.'));
  return owner.slice(0, Math.max(owner.lastIndexOf('.'), 0));
}

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

const kSmallerOnes = '[smaller ones]';

// ---- the tree ----------------------------------------------------------------------------

// Of one tree all that is drawn: sums, children, and which way it goes.
function treeOf({frames, classes, tree}, classFirst, measures) {
  const size = tree.parent.length;
  const totals = {};
  for (const {key} of measures) totals[key] = Float64Array.from(tree[key]);
  const made = {
    frames,
    classes,
    tree,
    classFirst,
    names: frames.concat(classes),
    totals,
    children: Array.from({length: size}, () => []),
    ordered: '',
  };
  for (let node = size - 1; node > 0; --node) {
    const parent = tree.parent[node];  // parents have smaller numbers than their children
    for (const {key} of measures) totals[key][parent] += totals[key][node];
    made.children[parent].push(node);
  }
  return made;
}
// ---- what stacks are made of ---------------------------------------------------------------

// Of all stacks, those that stand together in the tree too: the names of each, once, with the
// figures of all stacks that have the same (name_sets.h). Set i keeps kept[i] names of the one
// before it; its others go up to names[ends[i]].
function setsOf({order, text}, measures) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const digits = new Uint8Array(128);
  for (let i = 0; i < letters.length; ++i) digits[letters.charCodeAt(i)] = i;
  let at = 0;
  const number = () => {
    for (let sum = 0, unit = 1;; unit *= 32) {
      const digit = digits[text.charCodeAt(at++)];
      sum += (digit % 32) * unit;
      if (digit < 32) return sum;
    }
  };
  const made = {kept: [], ends: [], names: [], figures: {}};
  for (const {key} of measures) made.figures[key] = [];
  const ranks = [];
  while (at < text.length) {
    ranks.length -= number();
    made.kept.push(ranks.length);
    for (let more = number(); more > 0; --more) {
      ranks.push((ranks.length ? ranks[ranks.length - 1] + 1 : 0) + number());
      made.names.push(order[ranks[ranks.length - 1]]);
    }
    made.ends.push(made.names.length);
    for (const {key} of measures) made.figures[key].push(number());
  }
  return made;
}
// use(state, i) for each set, where its names have made the state out of 0: step(state, name).
function forEachSet({kept, ends, names}, step, use) {
  const states = [0];
  for (let i = 0, at = 0; i < ends.length; ++i) {
    let depth = kept[i];
    for (; at < ends[i]; ++at, ++depth) states[depth + 1] = step(states[depth], names[at]);
    use(states[depth], i);
  }
}

let shown;      // the tree that is drawn
let rootFirst;  // the same with the outermost frame first, which search counts by
function useSource(of, view) {
  source = sources[of];
  kind = kinds[scopeOf(of)[3]];
  source.rootFirst ??= treeOf(source, false, kind.measures);
  if (source.sets) source.allSets ??= setsOf(source.sets, kind.measures);
  if (view === 'callers') source.classFirst ??= treeOf(source.callers, true, kind.measures);
  const wanted = view === 'callers' ? source.classFirst : source.rootFirst;
  if (shown === wanted) return;
  shown = wanted;
  rootFirst = source.rootFirst;
  ({frames, classes, tree, names, totals, children} = shown);
  nodeCount = tree.parent.length;
  hovered = undefined;
}
// Locks: the outermost bars are the kinds of waiting.
const isGroup = (node) => Boolean(kind.groups) && node !== 0 && tree.parent[node] === 0;
// The largest first; what stands for many, or for the unknown, last.
function sortChildren(by) {
  if (shown.ordered === by) return;
  shown.ordered = by;
  const size = totals[by];
  const last = Uint8Array.from(
      tree.name,
      (name) => name === 0             ? 1 :
          names[name] === kSmallerOnes ? 2 :
                                         0);
  for (const list of children) {
    if (list.length > 1) list.sort((a, b) => last[a] - last[b] || size[b] - size[a] || a - b);
  }
}
function pathTo(node) {
  const path = [];
  for (; node !== 0; node = tree.parent[node]) path.unshift(node);
  return path;
}

// ---- state -------------------------------------------------------------------------------

const state = {
  q: '',
  zoom: 0,
  of: '',
  by: '',
  view: 'icicle',
  sort: '',  // of the table of sites; '' = by the measure
};
let hovered;         // a bar of drawn
let matches = null;  // per node 0 / 1, or null without a search

function zoomFromText(text) {
  if (!text) return 0;
  let node = 0;
  for (const name of text.split(';')) {
    const next = children[node].find((child) => nameOf(child) === name);
    if (next === undefined) break;
    node = next;
  }
  if (node !== 0) return node;
  let best = 0;
  for (let at = 1; at < nodeCount; ++at) {
    const size = totals[kind.measures[0].key];
    if (nameOf(at) === text && (best === 0 || size[at] > size[best])) best = at;
  }
  return best;
}
function useMeasure(wanted) {
  const known = kind.measures.some(({key}) => key === wanted);
  state.by = known ? wanted : kind.measures[0].key;
}
const measure = () => kind.measures.find(({key}) => key === state.by);
function readFragment() {
  const wanted = {};
  for (const part of location.hash.slice(1).split('&')) {
    const [key, ...value] = part.split('=');
    try {
      wanted[key] = decodeURIComponent(value.join('='));
    } catch {
      wanted[key] = value.join('=');
    }
  }
  state.q = wanted.q || '';
  state.view = ['flame', 'callers'].includes(wanted.view) ? wanted.view : 'icicle';
  state.of = offered.some(([name]) => name === wanted.of) ? wanted.of : offered[0][0];
  state.sort = wanted.sort || '';
  useSource(state.of, state.view);
  useMeasure(wanted.by);
  state.zoom = zoomFromText(wanted.zoom);
}
function writeFragment() {
  const parts = [];
  if (state.q) parts.push('q=' + encodeURIComponent(state.q));
  if (state.zoom)
    parts.push('zoom=' + encodeURIComponent(pathTo(state.zoom).map(nameOf).join(';')));
  if (state.by !== kind.measures[0].key) parts.push('by=' + state.by);
  if (state.of !== offered[0][0]) parts.push('of=' + state.of);
  if (state.view !== 'icicle') parts.push('view=' + state.view);
  if (state.sort) parts.push('sort=' + state.sort);
  const wanted = parts.length ? '#' + parts.join('&') : location.pathname + location.search;
  history.replaceState(null, '', wanted);
}

// ---- search ------------------------------------------------------------------------------

function search() {
  const field = byId('search'), output = byId('match');
  field.classList.remove('bad');
  matches = null;
  output.textContent = '';
  for (const key of Object.keys(output.dataset)) delete output.dataset[key];
  if (!state.q) return;
  // A name as it stands is found too: "byte[]" and "Map$Node" mean something else as patterns.
  const text = state.q.toLowerCase();
  let pattern = null;
  try {
    pattern = new RegExp(state.q, 'i');
  } catch {
    field.classList.add('bad');
  }
  const named = (name) =>
      name.toLowerCase().includes(text) || (pattern !== null && pattern.test(name));
  const wanted = names.map(named);
  matches = Uint8Array.from(tree.name, (name, node) => node && wanted[name] ? 1 : 0);
  // Every stack once, however many of its frames match, and whichever way it is drawn.
  const {tree: all, totals: sums} = rootFirst;
  const inAll = shown === rootFirst ? wanted : rootFirst.names.map(named);
  const covered = new Uint8Array(all.parent.length);
  const sets = source.allSets;
  const found = {};
  for (const {key} of kind.measures) found[key] = 0;
  let bars = 0;
  for (let node = 1; node < all.parent.length; ++node) {
    const match = inAll[all.name[node]] ? 1 : 0;
    bars += match;
    covered[node] = match | covered[all.parent[node]];
    if (!sets && match && !covered[all.parent[node]]) {
      for (const {key} of kind.measures) found[key] += sums[key][node];
    }
  }
  if (sets) {
    forEachSet(sets, (some, name) => some || inAll[name], (some, i) => {
      if (!some) return;
      for (const {key} of kind.measures) found[key] += sets.figures[key][i];
    });
  }
  const share = percent(found[state.by], totals[state.by][0]);
  Object.assign(output.dataset, {...found, bars, share});
  if (pattern === null) output.dataset.plain = 'true';
  const narrow = bars === 0 ? ', all in bars that are too small to be drawn alone' : '';
  const words = bars === 0 && found.count === 0 ?
      'no match' :
      `matched ${share} of the ${measure().all}: ${inWords(found)}${narrow}`;
  output.textContent =
      pattern === null ? `${words} (not a regular expression: searched as plain text)` : words;
}
