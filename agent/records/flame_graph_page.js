// The page around the picture: tips, tables, head, what is clicked. Goes on where
// flame_graph_picture.js ends.

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
  const kind = node === 0                     ? offered.find(([name]) => name === state.of)[2] :
      tree.name[node] === 0                   ? 'these stacks had more frames than are kept' :
      names[tree.name[node]] === kSmallerOnes ? 'many small ones together' :
      isClass(node)                           ? 'allocated class' :
      shown.classFirst                        ? 'method, called by what is below it' :
                                                'method';
  tip.replaceChildren(
      element('b', {}, nameOf(node)), element('div', {class: 'quiet'}, kind),
      element(
          'div', {},
          `${aboutShown()}${humanBytes(bytes)} (${grouped(bytes)} bytes), ${
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
// A long name may break after its dots and dollars.
const breakable = (name) =>
    name.split(/(?<=[.$])/).flatMap((part, i) => (i ? [element('wbr'), part] : [part]));
// Leads to what is called so in the graph.
const searchLink = (name, text = name) => element(
    'a', {
      href: '#q=' + encodeURIComponent(exactly(name)),
      title: name,
      onclick: (event) => {
        event.preventDefault();
        change({q: exactly(name), zoom: 0});
        byId('main').scrollIntoView({behavior: 'smooth', block: 'nearest'});
      },
    },
    ...breakable(text));

const kRowsAtFirst = 25;
const showAll = new Set();
// columns: {title, number, key, cell(row)}; a click on the head of one with a key sorts by it. The
// page may hold fewer rows than there are: the largest of `total`.
function showTable(id, all, columns, total = all.length, sort = state.by) {
  const by = columns.find((column) => column.key === sort) || {number: true};
  const key = by.key || state.by;
  const sorted = [...all].sort(
      (a, b) => by.number ? b[key] - a[key] :
          a[key] < b[key] ? -1 :
          a[key] > b[key] ? 1 :
                            b[state.by] - a[state.by]);
  const rows = showAll.has(id) ? sorted : sorted.slice(0, kRowsAtFirst);
  const head = element(
      'tr', {},
      ...columns.map(
          (column) => element(
              'th', {
                ...(column.number ? {class: 'number'} : {}),
                ...(column.key && id === 'sites' ? {
                  'aria-sort': column.key === key ? (by.number ? 'descending' : 'ascending') :
                                                    'none'
                } :
                                                   {}),
              },
              column.key && id === 'sites' ?
                  element(
                      'button', {type: 'button', onclick: () => change({sort: column.key})},
                      column.title) :
                  column.title)));
  const body =
      rows.map((row) => element('tr', {}, ...columns.map((column) => {
                 const attributes = column.number ? {class: 'number'} : {};
                 if (column.part)
                   Object.assign(attributes, {class: 'share', style: `--part:${column.cell(row)}`});
                 if (column.tip) attributes.title = column.tip(row);
                 return element('td', attributes, ...[column.cell(row)].flat());
               })));
  byId(id).replaceChildren(element('thead', {}, head), element('tbody', {}, ...body));
  Object.assign(byId(id).dataset, {shown: rows.length, rows: sorted.length, total, sort: key});
  const foot = [];
  if (rows.length < total) foot.push(`${grouped(rows.length)} of ${grouped(total)} shown`);
  if (rows.length < sorted.length) {
    const more = sorted.length < total ? `the largest ${grouped(sorted.length)}` : 'all';
    foot.push(
        ', ',
        element(
            'button', {
              type: 'button',
              onclick: () => {
                showAll.add(id);
                showTables();
              }
            },
            `show ${more}`));
  } else if (rows.length < total) {
    foot.push('; a .txt or .jsonl report has more');
  }
  if (foot.length) {
    byId(id).append(
        element('tfoot', {}, element('tr', {}, element('td', {colspan: columns.length}, ...foot))));
  }
}

const figures = () => {
  const whole = totals[state.by][0];
  return [
    {title: 'share', part: true, cell: (row) => percent(row[state.by], whole)},
    {
      title: 'bytes',
      key: 'bytes',
      number: true,
      cell: (row) => humanBytes(row.bytes),
      tip: (row) => `${grouped(row.bytes)} bytes`
    },
    {title: 'count', key: 'count', number: true, cell: (row) => grouped(row.count)},
  ];
};
const siteRows = (rows) => rows.map(
    ([type, frame, place, app, appPlace, bytes, count, appBytes]) =>
        ({type, frame, place, app, appPlace, bytes, count, appBytes}));
// A site by all its names: the class, who allocates, and for whom.
function siteCell(row) {
  const line = (word, name, place, more = '') => element(
      'div', {class: 'at', title: `${name} (${place})`}, `${word} `,
      searchLink(name, withoutPackage(name, false)), element('small', {}, ` ${place}${more}`));
  const lines = [searchLink(row.type)];
  if (row.frame) lines.push(line('at', row.frame, row.place));
  if (row.app && (row.app !== row.frame || row.appPlace !== row.place)) {
    const part = row.appBytes < row.bytes ? `, ${percent(row.appBytes, row.bytes)} of it` : '';
    lines.push(line('from', row.app, row.appPlace, part));
  }
  if (!row.frame && !row.app) lines.push(element('div', {class: 'at'}, '(no Java frame)'));
  return lines;
}
const threads = data.threads.map(
    ([id, name, bytes, count, allocated, seen]) => ({id, name, bytes, count, allocated, seen}));
function showTables() {
  const site = {title: 'class, allocated at, from', key: 'type', cell: siteCell};
  showTable(
      'sites', siteRows(source.sites), [...figures(), site], source.site_count,
      state.sort || state.by);
  byId('app').hidden = !source.app_sites;
  if (source.app_sites) {
    showTable(
        'appsites', siteRows(source.app_sites),
        [...figures(), {title: 'class, first frame outside the JDK', cell: siteCell}],
        source.app_site_count);
  }
  showTable(
      'classes', byClass, [...figures(), {title: 'class', cell: (row) => searchLink(row.type)}]);
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
  // Threads are those of the recent records, whatever else is shown.
  const recorded = {bytes: data.recorded_bytes, count: data.recorded_count}[state.by];
  const [share, ...others] = figures();
  share.cell = (row) => percent(row[state.by], recorded);
  showTable('threads', threads, [share, ...others, ...columns]);
}

function showLegend() {
  const item = (style, name, title, q) => {
    const swatch = element('i', {class: 'swatch', style: `background:${style}`});
    return q ?
        element(
            'button', {type: 'button', title, onclick: () => change({q, zoom: 0})}, swatch, name) :
        element('span', {title}, swatch, name);
  };
  const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  byId('legend').replaceChildren(
      item(themeColour('--class'), 'allocated class', 'what was allocated'),
      item(themeColour('--jdk'), 'JDK', 'java, javax, jdk, sun, com.sun'),
      ...[...hues].map(
          ([name, hue]) => item(
              shade(hue), name || '(no package)', 'show in the graph',
              name ? `^${escaped(name)}\\.[^.]+\\.[^.]+$` : '^[^.]+\\.[^.]+$')),
      item(shade(200, 0.45), 'other packages', 'one pale colour a package'),
      item(themeColour('--rest'), 'small or unknown', 'many small ones together, or cut stacks'),
      item(themeColour('--match'), 'search match', ''));
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
  const notTold = summary.engine === 'unknown';  // a DDM server's answer has fewer facts
  byId('facts').textContent = [
    summary.vm,
    ...(notTold ? ['fetched by ddm; engine and times are not known'] :
                  [
                    `engine ${summary.engine}` + (summary.shows ? ` (${summary.shows})` : ''),
                    `stack walker ${summary.walker}`,
                    ...(sampled ? [`estimated from ${grouped(summary.samples)} samples, one every ${
                                      humanBytes(summary.interval)} of a thread on average`] :
                                  []),
                    `tracked for ${humanDuration(summary.tracked_ms)}`,
                  ]),
    summary.written_ms ? `written ${new Date(summary.written_ms).toLocaleString()}` : '',
    summary.reason ? `reason: ${summary.reason}` : '',
    summary.recovered ? `recovered from ${summary.recovered}` : '',
  ].filter(Boolean).join(' \u00b7 ');
  const tile = (name, value, words) => element(
      'div', {class: 'tile'}, element('span', {class: 'name'}, name), element('b', {}, value),
      element('span', {class: 'words'}, words));
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
          missing === null ?
              'this VM keeps no allocation counter' :
              `${
                  percent(
                      missing, missing + summary.seen_bytes)} of what the VM counted was not seen` +
                  (stacks ? `; virtual thread stacks: at most ${humanBytes(stacks)}` : ''));
  byId('tiles').replaceChildren(
      ...(notTold ?
              [
                recorded,
                tile('Completeness', 'not known', 'see the reports that the program writes itself'),
              ] :
              [
                tile(
                    'Whole run', about + humanBytes(summary.seen_bytes),
                    `${times(summary.seen)} seen since tracking began` +
                        (summary.sites_shortened ?
                             `; ${
                                 percent(
                                     summary.sites_shortened,
                                     summary.seen)} of them with shortened stacks` :
                             '')),
                recorded,
                complete,
                tile(
                    'Dropped', grouped(summary.dropped),
                    summary.dropped ?
                        (sampled ? 'samples' : 'allocations') + ' seen but not recorded' :
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
  if (data.live) {
    byId('span').textContent += ` Live is what collection ${summary.gc} has not found dead` +
        (summary.live_one_in > 1 ?
             `, estimated from one object in ${summary.live_one_in}.` : '.');
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
  const size = totals[state.by], own = tree[state.by];
  const inside = new Map();
  for (const bar of drawn) {
    if (bar.x < -1e-6 || bar.x + bar.width > width + 1e-6)
      return `${nameOf(bar.node)} is drawn outside`;
    if (bar.dimmed || (bar.node === state.zoom && !bar.rest)) continue;
    const parent = bar.rest ? bar.node : tree.parent[bar.node];
    inside.set(parent, (inside.get(parent) || 0) + bar.width);
  }
  for (const bar of drawn) {  // up to a pixel of children that are too narrow may be missing
    if (bar.dimmed || bar.rest || !children[bar.node].length) continue;
    const filled = inside.get(bar.node) || 0;
    const ends = size[bar.node] ? (bar.width * own[bar.node]) / size[bar.node] : 0;
    if (Math.abs(filled + ends - bar.width) > 1 + 1e-6) {
      return `${nameOf(bar.node)} is ${bar.width} wide, its children ${filled}`;
    }
  }
  return checkTotals();
}

const measures = document.querySelectorAll('button[data-by]');
let tabled = '';  // what the tables show
const views = document.querySelectorAll('button[data-view]');
function render() {
  sortChildren(state.by);
  const about = [state.of, state.by, state.sort].join();
  if (tabled !== about) showTables();
  tabled = about;
  byId('hint').textContent = state.view === 'callers' ?
      'What was allocated, by whom, called by whom. Bars below a bar are its callers. Click zooms, Esc resets.' :
      'A bar is as wide as what was allocated in it and in all it called. Click zooms, Esc resets.';
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
  for (const button of document.querySelectorAll('button[data-of]'))
    button.setAttribute('aria-pressed', button.dataset.of === state.of);
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
  const turned = (wanted.view === 'callers') !== (state.view === 'callers');
  if ((wanted.of && wanted.of !== state.of) || (wanted.view && turned)) wanted.zoom = 0;
  Object.assign(state, wanted);
  useSource(state.of, state.view);
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

useSource(state.of, state.view);
choosePackages();
showHeader();
byId('scopes').replaceChildren(...offered.map(
    ([name, title, meaning]) => element(
        'button',
        {type: 'button', 'data-of': name, title: meaning, onclick: () => change({of: name})},
        title)));
byId('scopes').hidden = offered.length < 2;
if (summary.recorded > 0 || totals.count[0] > 0) {
  byId('main').hidden = false;
  showLegend();
  listen();
  fromFragment();
} else {
  byId('empty').hidden = false;
}
