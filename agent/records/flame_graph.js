// Draws the merged stacks of an allocation report. Reads the JSON in #data, whose shape
// report_html.cpp describes; keeps its state (search, zoom, measure, direction) in the URL's
// fragment: #q=REGEX&zoom=NAME;NAME&of=recent&by=count&view=flame. zoom is a path from the root, or the
// name of one frame, which then means the widest frame of that name.
// Facts that a test can read stand in data- attributes of #report and #match.
'use strict';
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const {summary} = data;
// What the graph and the tables are about: the whole run, or the recent records.
const sources = {recent: {...data, bytes: data.recorded_bytes, count: data.recorded_count}};
if (data.run) sources.run = data.run;
let source, frames, classes, tree, names, nodeCount, totals, children, byClass;
const sampled = summary.interval > 0;  // every figure of the tree is an estimate
const about = sampled ? '\u2248 ' : '';
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
const percent = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) : '0.0') + '%';
const times = (n) => (n === 1 ? '1 allocation' : `${grouped(n)} allocations`);

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

// ---- the tree ----------------------------------------------------------------------------

let ordered = '';  // the measure that children and tables are sorted by
function useSource(of) {
  if (source === sources[of]) return;
  source = sources[of];
  ({frames, classes, tree} = source);
  names = frames.concat(classes);
  nodeCount = tree.parent.length;
  totals = {bytes: Float64Array.from(tree.bytes), count: Float64Array.from(tree.count)};
  children = Array.from({length: nodeCount}, () => []);
  byClass = classes.map((type) => ({type, bytes: 0, count: 0}));
  for (let node = nodeCount - 1; node > 0; --node) {
    const parent = tree.parent[node];  // parents have smaller numbers than their children
    if (isClass(node)) {
      const row = byClass[tree.name[node] - frames.length];
      row.bytes += tree.bytes[node];
      row.count += tree.count[node];
    }
    totals.bytes[parent] += totals.bytes[node];
    totals.count[parent] += totals.count[node];
    children[parent].push(node);
  }
  ordered = '';
  hovered = undefined;
}
function sortChildren(by) {
  const size = totals[by];
  for (const list of children) {
    if (list.length > 1) list.sort((a, b) => size[b] - size[a] || a - b);
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
  of: data.run ? 'run' : 'recent',
  by: 'bytes',
  view: 'icicle'
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
    if (nameOf(at) === text && (best === 0 || totals.bytes[at] > totals.bytes[best])) best = at;
  }
  return best;
}
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
  state.by = wanted.by === 'count' ? 'count' : 'bytes';
  state.view = wanted.view === 'flame' ? 'flame' : 'icicle';
  state.of = wanted.of === 'recent' || !data.run ? 'recent' : 'run';
  useSource(state.of);
  state.zoom = zoomFromText(wanted.zoom);
}
function writeFragment() {
  const parts = [];
  if (state.q) parts.push('q=' + encodeURIComponent(state.q));
  if (state.zoom)
    parts.push('zoom=' + encodeURIComponent(pathTo(state.zoom).map(nameOf).join(';')));
  if (state.by !== 'bytes') parts.push('by=' + state.by);
  if (data.run && state.of !== 'run') parts.push('of=' + state.of);
  if (state.view !== 'icicle') parts.push('view=' + state.view);
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
  const named = names.map(
      (name) => name.toLowerCase().includes(text) || (pattern !== null && pattern.test(name)));
  matches = new Uint8Array(nodeCount);
  const covered = new Uint8Array(nodeCount);  // itself or a frame below it matches: counted once
  let bytes = 0, count = 0, bars = 0;
  for (let node = 1; node < nodeCount; ++node) {
    matches[node] = named[tree.name[node]] ? 1 : 0;
    bars += matches[node];
    covered[node] = matches[node] | covered[tree.parent[node]];
    if (matches[node] && !covered[tree.parent[node]]) {
      bytes += totals.bytes[node];
      count += totals.count[node];
    }
  }
  const part = state.by === 'bytes' ? bytes : count;
  const share = percent(part, totals[state.by][0]);
  Object.assign(output.dataset, {bytes, count, bars, share});
  if (pattern === null) output.dataset.plain = 'true';
  const found = bars === 0 ?
      'no match' :
      state.by === 'bytes' ?
      `matched ${share} of the bytes: ${humanBytes(bytes)} in ${times(count)}` :
      `matched ${share} of the allocations: ${grouped(count)} with ${humanBytes(bytes)}`;
  output.textContent =
      pattern === null ? `${found} (not a regular expression: searched as plain text)` : found;
}

// ---- drawing -----------------------------------------------------------------------------

const kRow = 20, kLeastWidth = 0.5;
const kFont = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const canvas = byId('canvas');
const pen = canvas.getContext('2d');
const dark = matchMedia('(prefers-color-scheme: dark)');
// {node, x, width, depth}; dimmed: below the zoomed one; rest > 0: not the node itself but that
// many of its children together, each too narrow to draw.
let drawn = [];
let drawnWidth = 0;
let rows = 1;

const jdk = /^(java|javax|jdk|sun|com\.sun)\./;
function hueOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  // Two arcs, yellow to green and orange to red: blue is for classes, magenta for matches.
  const step = (hash >>> 8) % 16;
  return step < 10 ? 48 + step * 12 : 6 + (step - 10) * 7;
}
const shade = (hue) => (dark.matches ? `hsl(${hue} 38% 33%)` : `hsl(${hue} 72% 73%)`);
const colours = new Map();
function themeColour(variable) {
  if (!colours.has(variable)) {
    colours.set(
        variable, getComputedStyle(document.documentElement).getPropertyValue(variable).trim());
  }
  return colours.get(variable);
}
function colourOf({node, rest}) {
  if (rest) return themeColour('--rest');
  if (matches && matches[node]) return themeColour('--match');
  if (node === 0 || tree.name[node] === 0) return themeColour('--soft');
  if (isClass(node)) return themeColour('--class');
  const name = nameOf(node);
  return jdk.test(name) ? themeColour('--jdk') : shade(hueOf(packageOf(name)));
}

function layOut(width) {
  drawn = [];
  drawnWidth = width;
  const size = totals[state.by];
  const ancestors = pathTo(state.zoom);
  const above = [0, ...ancestors].slice(0, -1);
  above.forEach((node, depth) => drawn.push({node, x: 0, width, depth, dimmed: true}));
  const whole = size[state.zoom];
  rows = above.length + 1;
  const pending = [{node: state.zoom, x: 0, width, depth: above.length}];
  while (pending.length) {
    const bar = pending.pop();
    drawn.push(bar);
    rows = Math.max(rows, bar.depth + 1);
    let x = bar.x;
    const list = children[bar.node], depth = bar.depth + 1;
    let at = 0;
    for (; at < list.length; ++at) {  // the largest come first
      const childWidth = whole ? (width * size[list[at]]) / whole : 0;
      if (childWidth < kLeastWidth) break;
      pending.push({node: list[at], x, width: childWidth, depth});
      x += childWidth;
    }
    const left = bar.x + bar.width - x;
    if (at < list.length && left > 2 * kLeastWidth) {
      drawn.push({node: bar.node, x, width: left, depth, rest: list.length - at});
      rows = Math.max(rows, depth + 1);
    }
  }
}

const widths = new Map();
function textWidth(text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = pen.measureText(text).width));
  return width;
}
function labelFor({node, rest}, room) {
  if (room < 16) return '';
  const name = rest ? `${grouped(rest)} narrow ones` :
      node === 0 ? `all: ${humanBytes(totals.bytes[0])} in ${times(totals.count[0])}` :
                   nameOf(node);
  if (textWidth(name) <= room) return name;
  if (rest) return '';
  const short = node === 0 ? 'all' : withoutPackage(name, isClass(node));
  if (textWidth(short) <= room) return short;
  let low = 0, high = short.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(short.slice(0, middle) + '\u2026').width <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return low < 2 ? '' : short.slice(0, low) + '\u2026';
}
const topOf = (bar) => (state.view === 'flame' ? rows - 1 - bar.depth : bar.depth) * kRow;

function paint() {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = rows * kRow;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = kFont;
  pen.textBaseline = 'middle';
  for (const bar of drawn) {
    const top = topOf(bar);
    const gap = bar.width > 3 ? 1 : 0;
    pen.globalAlpha = bar.dimmed ? 0.5 : 1;
    pen.fillStyle = colourOf(bar);
    pen.fillRect(bar.x, top, bar.width - gap, kRow - 1);
    if (bar === hovered) {
      pen.strokeStyle = themeColour('--ink');
      pen.strokeRect(bar.x + 0.5, top + 0.5, Math.max(bar.width - gap - 1, 1), kRow - 2);
    }
    const label = labelFor(bar, bar.width - 8);
    if (label) {
      pen.fillStyle = themeColour('--ink');
      pen.fillText(label, bar.x + 4, top + kRow / 2);
    }
  }
  pen.globalAlpha = 1;
}

function barAt(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  return drawn.find((bar) => {
    const top = topOf(bar);
    return y >= top && y < top + kRow && x >= bar.x && x < bar.x + bar.width;
  });
}

// ---- around the graph --------------------------------------------------------------------

function showTip(event, bar) {
  const tip = byId('tip');
  tip.hidden = !bar;
  if (!bar) return;
  const {node, rest} = bar;
  if (rest) {
    tip.replaceChildren(
        element('b', {}, `${grouped(rest)} bars too narrow to draw`),
        element(
            'div', {},
            `${percent(bar.width, canvas.clientWidth)} of what is shown. Zoom into ${
                nameOf(node)}, or search.`));
    return placeTip(event, tip);
  }
  const bytes = totals.bytes[node], count = totals.count[node];
  const kind = node === 0   ? (state.of === 'run' ? 'the whole run' : 'everything recorded') :
      isClass(node)         ? 'allocated class' :
      tree.name[node] === 0 ? 'these stacks had more frames than are kept' :
                              'method';
  tip.replaceChildren(
      element('b', {}, nameOf(node)), element('div', {class: 'quiet'}, kind),
      element(
          'div', {},
          `${about}${humanBytes(bytes)} (${grouped(bytes)} bytes), ${
              percent(bytes, totals.bytes[0])} of all bytes`),
      element('div', {}, `${times(count)}, ${percent(count, totals.count[0])} of all allocations`));
  if (state.zoom && !bar.dimmed) {
    const size = totals[state.by];
    tip.append(element('div', {}, `${percent(size[node], size[state.zoom])} of what is shown`));
  }
  placeTip(event, tip);
}
function placeTip(event, tip) {
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 18;
  const top =
      below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 12 : below;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${Math.max(top, 4)}px`;
}

function showCrumbs() {
  const path = [0, ...pathTo(state.zoom)];
  byId('crumbs').replaceChildren(...path.map(
      (node) => element(
          'li', {},
          element(
              'button', {type: 'button', title: nameOf(node), onclick: () => change({zoom: node})},
              node === 0 ? 'all' : withoutPackage(nameOf(node), isClass(node))))));
}

const exactly = (name) => '^' + name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$';
// A long name may break after its dots.
const breakable = (name) =>
    name.split(/(?<=\.)/).flatMap((part, i) => (i ? [element('wbr'), part] : [part]));
const searchButton = (name) => element(
    'button', {
      type: 'button',
      title: 'show in the graph',
      onclick: () => {
        change({q: exactly(name), zoom: 0});
        byId('main').scrollIntoView({behavior: 'smooth'});
      },
    },
    ...breakable(name));

const kRowsAtFirst = 25;
const showAll = new Set();
// columns: {title, number, cell(row)}; the share of the measure comes first. The page may hold
// fewer rows than there are: the largest of `total`.
function showTable(id, all, columns, total = all.length) {
  const at = state.by === 'bytes' ? 'bytes' : 'count';
  const whole = totals[at][0];
  const sorted = [...all].sort((a, b) => b[at] - a[at]);
  const shown = showAll.has(id) ? sorted : sorted.slice(0, kRowsAtFirst);
  const head = element(
      'tr', {}, element('th', {}, 'share'), element('th', {class: 'number'}, 'bytes'),
      element('th', {class: 'number'}, 'count'),
      ...columns.map(
          (column) => element('th', column.number ? {class: 'number'} : {}, column.title)));
  const body = shown.map((row) => {
    const share = percent(row[at], whole);
    return element(
        'tr', {}, element('td', {class: 'share', style: `--part:${share}`}, share),
        element('td', {class: 'number', title: humanBytes(row.bytes)}, grouped(row.bytes)),
        element('td', {class: 'number'}, grouped(row.count)),
        ...columns.map(
            (column) => element(
                'td', column.number ? {class: 'number'} : {}, ...[column.cell(row)].flat())));
  });
  byId(id).replaceChildren(element('thead', {}, head), element('tbody', {}, ...body));
  Object.assign(byId(id).dataset, {shown: shown.length, rows: sorted.length, total});
  const foot = [];
  if (shown.length < total) foot.push(`${grouped(shown.length)} of ${grouped(total)} shown`);
  if (shown.length < sorted.length) {
    const more = sorted.length < total ? `the largest ${grouped(sorted.length)}` : 'all';
    foot.push(', ', element(
        'button', {
          type: 'button',
          onclick: () => {
            showAll.add(id);
            showTables();
          }
        },
        `show ${more}`));
  } else if (shown.length < total) {
    foot.push('; a .txt or .jsonl report has every record');
  }
  if (foot.length) {
    byId(id).append(element(
        'tfoot', {},
        element('tr', {}, element('td', {colspan: columns.length + 3}, ...foot))));
  }
}

const siteRows = (rows) =>
    rows.map(([type, frame, place, bytes, count]) => ({type, frame, place, bytes, count}));
const threads = data.threads.map(
    ([id, name, bytes, count, allocated, seen]) => ({id, name, bytes, count, allocated, seen}));
function showTables() {
  const siteColumns = (where) => [
    {title: 'class', cell: (row) => searchButton(row.type)},
    {
      title: where,
      cell: (row) => row.frame ? [searchButton(row.frame), ` (${row.place})`] : '(no Java frame)'
    },
  ];
  showTable('sites', siteRows(source.sites), siteColumns('allocated at'), source.site_count);
  byId('app').hidden = !source.app_sites;
  if (source.app_sites) {
    showTable(
        'appsites', siteRows(source.app_sites), siteColumns('called from'), source.app_site_count);
  }
  showTable('classes', byClass, [{title: 'class', cell: (row) => searchButton(row.type)}]);
  const columns = [{title: 'thread', cell: (row) => `${row.name || '(no name)'} (${row.id})`}];
  if (threads.some((row) => row.allocated !== null)) {
    columns.push({
      title: 'allocated (VM)',
      number: true,
      cell: (row) => row.allocated === null ? '' : grouped(row.allocated)
    });
    if (!sampled)
      columns.push({
        title: 'unattributed',
        number: true,
        cell: (row) => row.allocated === null ? '' : grouped(row.allocated - row.seen)
      });
  }
  showTable('threads', threads, columns);
}

function showLegend() {
  ['one', 'two', 'three'].forEach((name, i) => {
    document.querySelector(`.swatch.${name}`).style.background = shade([60, 108, 20][i]);
  });
}

function showHeader() {
  Object.assign(byId('report').dataset, {
    records: summary.recorded,
    seen: summary.seen,
    seenBytes: summary.seen_bytes,
    interval: summary.interval,
  });
  const app = summary.app || 'a program';
  document.title = `Allocations of ${app}`;
  byId('title').replaceChildren(
      `Allocations of ${app} `, element('small', {}, `pid ${summary.pid}`));
  const notTold = summary.engine === 'unknown'; // a DDM server's answer has fewer facts
  byId('facts').textContent = [
    summary.vm,
    ...(notTold ? ['fetched by ddm; engine and times are not known'] : [
      `engine ${summary.engine}` + (summary.shows ? ` (${summary.shows})` : ''),
      `stack walker ${summary.walker}`,
      ...(sampled ? [`estimated from ${grouped(summary.samples)} samples, one every ${
          humanBytes(summary.interval)} of a thread on average`] : []),
      `tracked for ${humanDuration(summary.tracked_ms)}`,
    ]),
    summary.written_ms ? `written ${new Date(summary.written_ms).toLocaleString()}` : '',
    summary.reason ? `reason: ${summary.reason}` : '',
    summary.recovered ? `recovered from ${summary.recovered}` : '',
  ].filter(Boolean).join(' \u00b7 ');
  const tile = (name, value, words) => element(
      'div', {class: 'tile'}, element('span', {class: 'name'}, name), element('b', {}, value),
      element('span', {}, words));
  const recorded = tile(
      'Recent', about + humanBytes(data.recorded_bytes),
      !notTold && data.recorded_count < summary.seen ?
          `the most recent ${times(data.recorded_count)}, with their stacks` :
          `${times(data.recorded_count)}, with their stacks`);
  const missing = summary.unattributed_bytes, counted = summary.allocated_bytes;
  const stacks = summary.virtual_thread_stack_bytes;
  const complete = sampled ?
      tile(
          'Allocated', counted === null ? 'not known' : humanBytes(counted),
          'the VM\'s own count, to hold the estimate against') :
      tile(
          'Unattributed', missing === null ? 'not known' : humanBytes(missing),
          missing === null ? 'this VM keeps no allocation counter' :
                             `${
                                 percent(
                                     missing, missing + summary.seen_bytes)} of what the VM counted was not seen` +
              (stacks ? `; virtual thread stacks: at most ${humanBytes(stacks)}` : ''));
  byId('tiles').replaceChildren(...(notTold ? [
    recorded,
    tile('Completeness', 'not known', 'see the reports that the program writes itself'),
  ] : [
      tile(
          'Whole run', about + humanBytes(summary.seen_bytes),
          `${times(summary.seen)} seen since tracking began` +
              (summary.sites_shortened ? `; ${
                   percent(summary.sites_shortened, summary.seen)} of them with shortened stacks` :
                                         '')),
      recorded,
      complete,
      tile(
          'Dropped', grouped(summary.dropped),
          summary.dropped ? (sampled ? 'samples' : 'allocations') + ' seen but not recorded' :
                            `every ${sampled ? 'sample' : 'allocation seen'} went into the record`),
  ]));
  if (summary.recorded > 0) {
    const clock = (ms) => new Date(ms).toLocaleTimeString();
    byId('span').textContent = (data.run ? 'Recent are the allocations recorded last' :
                                           'This page shows the recorded allocations') +
        (notTold ? '.' :
                   `: ${humanDuration(Math.max(data.newest_ms - data.oldest_ms, 0))}, from ${
                       clock(data.oldest_ms)} to ${clock(data.newest_ms)}.`);
  }
}

// The tree must agree with the records, and what is drawn with the tree: "ok", or what is wrong.
function checkTotals() {
  const rounding = sampled ? nodeCount : 0;  // each leaf of a tree of estimates is rounded
  if (Math.abs(totals.bytes[0] - source.bytes) > rounding) {
    return `the tree has ${totals.bytes[0]} bytes, the figures ${source.bytes}`;
  }
  if (Math.abs(totals.count[0] - source.count) > rounding) {
    return `the tree has ${totals.count[0]} allocations of ${source.count}`;
  }
  return 'ok';
}
function checkBars() {
  const width = drawnWidth;
  const inside = new Map();
  for (const bar of drawn) {
    if (bar.x < -1e-6 || bar.x + bar.width > width + 1e-6)
      return `${nameOf(bar.node)} is drawn outside`;
    if (bar.dimmed || (bar.node === state.zoom && !bar.rest)) continue;
    const parent = bar.rest ? bar.node : tree.parent[bar.node];
    inside.set(parent, (inside.get(parent) || 0) + bar.width);
  }
  for (const bar of drawn) {  // up to a pixel of children that are too narrow may be missing
    if (bar.dimmed || bar.rest || isClass(bar.node)) continue;
    const filled = inside.get(bar.node) || 0;
    if (Math.abs(filled - bar.width) > 1 + 1e-6) {
      return `${nameOf(bar.node)} is ${bar.width} wide, its children ${filled}`;
    }
  }
  return checkTotals();
}

const measures = document.querySelectorAll('button[data-by]');
const scopes = document.querySelectorAll('button[data-of]');
const views = document.querySelectorAll('button[data-view]');
function render() {
  if (ordered !== state.by) {
    ordered = state.by;
    sortChildren(state.by);
    showTables();
  }
  search();
  layOut(canvas.clientWidth);
  paint();
  // The root is in view, whichever end of the graph it is at.
  byId('graph').scrollTop = state.view === 'flame' ? canvas.clientHeight : 0;
  showCrumbs();
  for (const button of measures)
    button.setAttribute('aria-pressed', button.dataset.by === state.by);
  for (const button of views)
    button.setAttribute('aria-pressed', button.dataset.view === state.view);
  for (const button of scopes) button.setAttribute('aria-pressed', button.dataset.of === state.of);
  Object.assign(byId('report').dataset, {
    of: state.of,
    nodes: nodeCount,
    totalBytes: totals.bytes[0],
    totalCount: totals.count[0],
    by: state.by,
    view: state.view,
    zoom: nameOf(state.zoom),
    zoomBytes: totals.bytes[state.zoom],
    zoomCount: totals.count[state.zoom],
    drawn: drawn.length,
    selfCheck: checkBars(),
  });
}
function change(wanted) {
  if (wanted.of && wanted.of !== state.of) wanted.zoom = 0;
  Object.assign(state, wanted);
  useSource(state.of);
  if (byId('search').value !== state.q) byId('search').value = state.q;
  writeFragment();
  render();
}
function fromFragment() {
  readFragment();
  byId('search').value = state.q;
  render();
}

// ---- start -------------------------------------------------------------------------------

function listen() {
  canvas.addEventListener('mousemove', (event) => {
    const bar = barAt(event);
    canvas.style.cursor = bar ? 'pointer' : 'default';
    showTip(event, bar);
    if (bar !== hovered) {
      hovered = bar;
      paint();
    }
  });
  canvas.addEventListener('mouseleave', (event) => {
    hovered = undefined;
    showTip(event, null);
    paint();
  });
  canvas.addEventListener('click', (event) => {
    const bar = barAt(event);
    if (!bar) return;
    showTip(event, null);
    change({zoom: bar.node});
  });
  byId('search').addEventListener('input', (event) => change({q: event.target.value}));
  byId('reset').addEventListener('click', () => change({q: '', zoom: 0}));
  for (const button of measures)
    button.addEventListener('click', () => change({by: button.dataset.by}));
  for (const button of scopes)
    button.addEventListener('click', () => change({of: button.dataset.of}));
  for (const button of views)
    button.addEventListener('click', () => change({view: button.dataset.view}));
  document.addEventListener('keydown', (event) => {
    const field = byId('search');
    if (event.key === 'Escape') {
      event.preventDefault();
      change({q: '', zoom: 0});
    } else if (
        (event.ctrlKey || event.metaKey) && event.key === 'f' && document.activeElement !== field) {
      event.preventDefault();  // a second Ctrl-F is the browser's
      field.focus();
      field.select();
    }
  });
  addEventListener('hashchange', fromFragment);
  // Also when a scroll bar comes or goes, which is no resize of the window.
  new ResizeObserver(() => {
    if (canvas.clientWidth !== drawnWidth) render();
  }).observe(canvas);
  dark.addEventListener('change', () => {
    colours.clear();
    showLegend();
    render();
  });
}

useSource(state.of);
showHeader();
byId('scopes').hidden = !data.run;
if (summary.recorded > 0 || totals.count[0] > 0) {
  byId('main').hidden = false;
  showLegend();
  listen();
  fromFragment();
} else {
  byId('empty').hidden = false;
}
