// What was asked for, which stands in the URL's fragment, the tree that is drawn for it, and search:
// #q=REGEX&zoom=NAME;NAME&of=recent&by=count&view=flame&tab=sites&sort=type&lines&hide&recursion&
// packages&threads&only&below=NAME&without=NAME;NAME&from=MS&to=MS. zoom is a path from the root, or
// the name of one bar, which then means the widest of that name. Facts that a test can read stand in
// data- attributes of #report and #match.

const switches = [
  ['lines', 'Lines', 'a bar for each line of a method that something came through'],
  ['hide', 'Hide JDK', 'no bars for java, javax, jdk, sun, com.sun; what they did stays where it was asked for'],
  ['recursion', 'Fold recursion', 'a method that comes again further in is the same bar'],
  ['packages', 'Fold packages', 'a run of frames of one package is one bar'],
  ['threads', 'By thread', 'threads as the outermost bars'],
];
const state = {
  q: '',
  zoom: 0,
  of: '',
  by: '',
  view: 'icicle',
  tab: '',
  sort: '',  // of the table; '' = by the measure
  only: false,
  below: -1,
  without: new Set(),
  from: -1,  // of the span, ms since tracking began; -1: the whole run
  to: -1,
};
for (const [name] of switches) state[name] = false;

let source, kind, base, tree, totals;
let drawn = [];        // bars, page_picture.js
let hovered, focused;  // bars of drawn
let matches = null;    // of search: what its names are, which bars, which stacks
let trees = new Map();  // by what they were made for; the last few

const nameOf = (node) => (node === 0 ? 'all' : textOf(tree.code[node]));
const isClass = (node) => isClassCode(tree.code[node]);
const isGroup = (node) => Boolean(kind.groups) && node !== 0 && tree.parent[node] === 0;
const hasThreads = () => base.size > 1 && isThreadCode(base.name[1]);
// Of what the graph is about: live=1/N follows one object in N.
const aboutShown = () =>
    ((kind === kinds.allocations || kind === kinds.changes) &&
             (sampled || (source === data.live && summary.live_estimated)) ?
         '\u2248 ' :
         '');
const measure = () => kind.measures.find(({key}) => key === state.by);
const totalsAt = (node) => Object.fromEntries(base.keys.map((key) => [key, totals[key][node]]));
const inWords = (figures) => (kind.said ?
    kind.measures.map(({key}) => kind.said(key, figures)).join(', ') :
    kind.measures.map(({key, words}) => words(figures[key])).join(' in '));
const codeNamed = (() => {
  const known = new Map();
  return (text) => {
    if (known.size === 0) {
      for (let code = kLines - 1; code >= 0; --code) known.set(textOf(code), code);
    }
    return known.has(text) ? known.get(text) : -1;
  };
})();

// ---- the tree that is drawn --------------------------------------------------------------

function useMeasure(wanted) {
  const known = kind.measures.some(({key}) => key === wanted);
  state.by = known ? wanted : kind.measures[0].key;
}
function howShown() {
  return {
    lines: state.lines,
    threads: state.threads,
    jdk: state.hide,
    recursion: state.recursion,
    packages: state.packages,
    below: state.below,
    without: state.without,
    only: state.only && state.q ? wantedNames().wanted : null,
    groups: Boolean(kind.groups),
  };
}
const spanText = () => (state.from >= 0 ? `${state.from}-${state.to}` : '');
function treeFor(classFirst) {
  const key = JSON.stringify([
    state.of, classFirst, switches.map(([name]) => state[name]), state.below, [...state.without],
    state.only ? state.q : '', spanText()
  ]);
  let made = trees.get(key);
  trees.delete(key);
  made ??= new (classFirst ? ClassFirst : RootFirst)(base, howShown(), figuresShown());
  trees.set(key, made);
  while (trees.size > 6) trees.delete(trees.keys().next().value);
  return made;
}
// By node of the base: what is counted, of the run or of the span.
const figuresShown = () => (state.from < 0 ? base.own : spanFigures(base, state.from, state.to));
function useTree() {
  source = data[state.of];
  kind = kinds[scopeOf(state.of)[3]];
  base = baseOf(state.of);
  if (state.from >= 0 && !source.moments) state.from = state.to = -1;
  if (!hasThreads()) state.threads = false;
  const wanted = treeFor(state.view === 'callers');
  if (tree === wanted) return false;
  tree = wanted;
  totals = tree.totals;
  hovered = focused = undefined;
  return true;
}
function pathTo(node) {
  const path = [];
  for (; node !== 0; node = tree.parent[node]) path.unshift(node);
  return path;
}
const childNamed = (node, name) => tree.children(node).find((child) => nameOf(child) === name);
function zoomFromNames(names) {
  let node = 0;
  for (const name of names) {
    const next = childNamed(node, name);
    if (next === undefined) break;
    node = next;
  }
  return node;
}
// Names in the fragment, which may contain the ';' between them (threads' do).
const listOf = (names) => names.map((name) => name.replace(/[%;]/g, encodeURIComponent)).join(';');
const namesIn = (list) => list.split(';').map(decoded);
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
function zoomFromText(text) {
  if (!text) return 0;
  const node = zoomFromNames(namesIn(text));
  if (node !== 0) return node;
  const size = totals[kind.measures[0].key];
  const widest = (code, first, last) => {
    let best = 0;
    for (let at = first; at < last; ++at) {
      if ((code < 0 ? nameOf(at) === text : tree.code[at] === code) &&
          (best === 0 || size[at] > size[best]))
        best = at;
    }
    return best;
  };
  return widest(codeNamed(text), 1, tree.size) || widest(-1, 1, Math.min(tree.size, 10000));
}
function readFragment() {
  const wanted = {};
  for (const part of location.hash.slice(1).split('&')) {
    const [key, ...value] = part.split('=');
    wanted[key] = decoded(value.join('='));
  }
  state.q = wanted.q || '';
  state.view = ['flame', 'callers'].includes(wanted.view) ? wanted.view : 'icicle';
  state.of = offered.some(([name]) => name === wanted.of) ? wanted.of : offered[0][0];
  state.tab = wanted.tab || '';
  state.sort = wanted.sort || '';
  state.only = wanted.only !== undefined;
  for (const [name] of switches) state[name] = wanted[name] !== undefined;
  state.below = wanted.below ? codeNamed(wanted.below) : -1;
  state.without = new Set();
  for (const name of namesIn(wanted.without || '')) {
    if (name && codeNamed(name) >= 0) state.without.add(codeNamed(name));
  }
  const [from, to] = [Number(wanted.from), Number(wanted.to)];
  const span = wanted.from !== undefined && from >= 0 && to > from;
  state.from = span ? from : -1;
  state.to = span ? to : -1;
  useTree();
  useMeasure(wanted.by);
  state.zoom = zoomFromText(wanted.zoom);
}
function writeFragment() {
  const parts = [];
  const add = (key, value) => parts.push(value === true ? key : `${key}=${encodeURIComponent(value)}`);
  if (state.q) add('q', state.q);
  if (state.zoom) add('zoom', listOf(pathTo(state.zoom).map(nameOf)));
  const usual = {by: kind.measures[0].key, of: offered[0][0], view: 'icicle', tab: '', sort: ''};
  for (const key in usual) {
    if (state[key] !== usual[key]) add(key, state[key]);
  }
  for (const name of ['only', ...switches.map(([name]) => name)]) {
    if (state[name]) add(name, true);
  }
  if (state.below >= 0) add('below', textOf(state.below));
  if (state.without.size) add('without', listOf([...state.without].map(textOf)));
  if (state.from >= 0) add('from', state.from), add('to', state.to);
  const wanted = parts.length ? '#' + parts.join('&') : location.pathname + location.search;
  try {
    history.replaceState(null, '', wanted);
  } catch {  // as pages in sandboxed frames are refused
  }
}

// ---- search ------------------------------------------------------------------------------

// Which names are wanted: 1 by code without lines. A name as it stands is found too: "byte[]" and
// "Map$Node" mean something else as patterns. "package:a.b" are the methods of that package: a
// pattern cannot tell them from the classes of its subpackages.
let lastWanted = {q: null};
function wantedNames() {
  if (lastWanted.q === state.q) return lastWanted;
  const text = state.q.toLowerCase();
  let pattern = null;
  try {
    pattern = new RegExp(state.q, 'i');
  } catch {  // plain text
  }
  const home = /^package:(.+)$/.exec(state.q)?.[1];
  const named = home ?
      (name) => name === `${home}.*` :
      (name) => name.toLowerCase().includes(text) || (pattern !== null && pattern.test(name));
  const isWanted = home ? (code) => isInPackage(code, home) : (code) => named(textOf(code));
  const wanted = new Uint8Array(kLines);
  for (let code = 0; code < kLines; ++code) wanted[code] = isWanted(code) ? 1 : 0;
  return (lastWanted = {q: state.q, wanted, named, plain: pattern === null && !home});
}
const isMatch = (node) => {
  if (!matches || node === 0) return false;
  const code = tree.code[node];
  return isPackageCode(code) ? matches.named(textOf(code)) : matches.wanted[withoutLine(code)] === 1;
};
function search() {
  const field = byId('search'), output = byId('match');
  field.classList.remove('bad');
  matches = null;
  for (const key of Object.keys(output.dataset)) delete output.dataset[key];
  byId('found').hidden = !state.q;
  if (!state.q) {
    output.textContent = '';
    return;
  }
  const {wanted, named, plain} = wantedNames();
  field.classList.toggle('bad', plain);
  // Every stack once, however many of its frames match, and whichever way it is drawn.
  const covered = new Uint8Array(base.size), found = {};
  for (let node = 1; node < base.size; ++node) {
    covered[node] = covered[base.parent[node]] | wanted[base.name[node]];
  }
  const own = figuresShown(), all = treeFor(false);
  for (const key of base.keys) {
    let sum = 0;
    for (const node of base.ends) {
      if (covered[node] && (!all.ends || all.ends[node])) sum += own[key][node];
    }
    found[key] = sum;
  }
  matches = {wanted, named, covered, bars: null};
  let bars = 0;
  for (let node = 1; node < all.size; ++node) {
    const code = all.code[node];
    if (isPackageCode(code) ? named(textOf(code)) : wanted[withoutLine(code)]) ++bars;
  }
  const share = percent(found[state.by], totals[state.by][0]);
  Object.assign(output.dataset, {...found, bars, share});
  if (plain) output.dataset.plain = 'true';
  const hidden = bars === 0 && found.count > 0 ? ', in bars that are hidden or folded' : '';
  const words = bars === 0 && found.count === 0 ?
      'no match' :
      `matched${kind.said ? '' : ` ${share} of the ${measure().all}`}: ${inWords(found)}${hidden}`;
  output.textContent =
      plain ? `${words} (not a regular expression: searched as plain text)` : words;
}
let lastMatch = {};  // the one that was gone to
// Bars that match, the largest first. Of a tree by class those that were drawn so far.
function matchedBars() {
  if (!matches) return [];
  if (!matches.bars || matches.bars.tree !== tree || matches.bars.by !== state.by) {
    const bars = [];
    for (let node = 1; node < tree.size; ++node) {
      if (isMatch(node) && totals[state.by][node] > 0) bars.push(node);
    }
    const figures = totals[state.by];
    bars.sort((a, b) => figures[b] - figures[a] || a - b);
    // A zoom to a match does not lose it.
    const same = lastMatch.q === state.q && lastMatch.tree === tree;
    matches.bars = {tree, by: state.by, bars, at: same ? bars.indexOf(lastMatch.node) : -1};
  }
  return matches.bars.bars;
}

// ---- what the tables are of --------------------------------------------------------------

// 1 by node of the base: stacks that end there are below the bar that is zoomed to, and match the
// search. null: all are.
function selection() {
  const all = state.below < 0 && state.without.size === 0 && !(state.only && state.q);
  if (!state.zoom && !matches && all) return null;
  const below = tree.below(state.zoom);
  if (!matches) return below;
  for (const node of base.ends) below[node] &= matches.covered[node];
  return below;
}
