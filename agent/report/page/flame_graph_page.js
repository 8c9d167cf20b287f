// The page around the picture: tips, tables, head, what is clicked. Goes on where
// flame_graph_kinds.js ends.

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
  const what = node === 0 ? scopeOf(state.of)[2] :
      isGroup(node)       ? `waited ${kind.groups[nameOf(node)]}` :
            tree.name[node] === 0                   ? 'these stacks had more frames than are kept' :
            names[tree.name[node]] === kSmallerOnes ? 'many small ones together' :
            isClass(node)                           ? kind.leaf :
            shown.classFirst                        ? 'method, called by what is below it' :
                                                      'method';
  tip.replaceChildren(
      element('b', {}, nameOf(node)), element('div', {class: 'quiet'}, what),
      ...kind.measures.map(
          ({key, all, exact}) => element(
              'div', {},
              `${aboutShown()}${exact(totals[key][node])}, ${
                  percent(totals[key][node], totals[key][0])} of all ${all}`)));
  const {all, exact} = measure(), own = tree[state.by][node];
  if (own && own < totals[state.by][node] && node !== 0 && !shown.classFirst) {
    tip.append(element(
        'div', {}, `${exact(own)}, ${percent(own, totals[state.by][0])} of all ${all}, in itself`));
  }
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

const kRowsAtFirst = 25;
const showAll = new Set();
// columns: {title, number, key, cell(row)}; a click on the head of one with a key sorts by it.
// sort: the key that rows stand by without one, '' = the measure. The page may hold fewer rows than
// there are: the largest of `total`.
function showTable({id, rows: all, columns, sort: unasked = '', total = all.length}, sortable) {
  const sort = (sortable && state.sort) || unasked || state.by;
  const by = columns.find((column) => column.key === sort) || {number: true};
  const key = by.key || state.by;
  const sorted = [...all].sort(
      (a, b) => by.number ? b[key] - a[key] :
          a[key] < b[key] ? -1 :
          a[key] > b[key] ? 1 :
                            b[state.by] - a[state.by]);
  const asked = `${state.of} ${id}`;  // tables of different figures may be called the same
  const rows = showAll.has(asked) ? sorted : sorted.slice(0, kRowsAtFirst);
  const head = element(
      'tr', {},
      ...columns.map(
          (column) => element(
              'th', {
                ...(column.number ? {class: 'number'} : {}),
                ...(column.key && sortable ? {
                  'aria-sort': column.key === key ? (by.number ? 'descending' : 'ascending') :
                                                    'none'
                } :
                                             {}),
              },
              column.key && sortable ?
                  element(
                      'button', {type: 'button', onclick: () => change({sort: column.key})},
                      column.title) :
                  column.title)));
  const body = rows.map(
      (row) => element('tr', {}, ...columns.map((column) => {
        const attributes = column.number ? {class: 'number'} : column.whole ? {class: 'whole'} : {};
        if (column.part)
          Object.assign(attributes, {class: 'share', style: `--part:${column.cell(row)}`});
        if (column.tip) attributes.title = column.tip(row);
        return element('td', attributes, ...[column.cell(row)].flat());
      })));
  const table = element('table', {id});
  table.append(element('thead', {}, head), element('tbody', {}, ...body));
  Object.assign(table.dataset, {shown: rows.length, rows: sorted.length, total, sort: key});
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
                showAll.add(asked);
                showTables();
              }
            },
            `show ${more}`));
  } else if (rows.length < total) {
    foot.push(`; ${kind.more}`);
  }
  if (foot.length) {
    table.append(
        element('tfoot', {}, element('tr', {}, element('td', {colspan: columns.length}, ...foot))));
  }
  return table;
}
// The first table stands beside the graph and can be sorted.
function showTables() {
  const [first, ...others] = kind.tables();
  byId('toptitle').textContent = first.title;
  byId('topbox').replaceChildren(showTable(first, true));
  byId('columns').replaceChildren(
      ...others.filter(({rows}) => rows.length > 0)
          .map(
              (one) =>
                  element('section', {}, element('h2', {}, one.title), showTable(one, false))));
}

function showLegend() {
  const item = (style, name, title, q) => {
    const swatch = element('i', {class: 'swatch', style: `background:${style}`});
    return q ?
        element(
            'button', {type: 'button', title, onclick: () => change({q, zoom: 0})}, swatch, name) :
        element('span', {title}, swatch, name);
  };
  const kindsOfWaiting = Object.keys(kind.groups || {});
  const inOrder = (node) => kindsOfWaiting.indexOf(nameOf(node));
  const groups =
      children[0]
          .filter(isGroup)
          .sort((a, b) => inOrder(a) - inOrder(b))
          .map(
              (node) => element(
                  'button', {
                    type: 'button',
                    title: `zoom to what was waited ${kind.groups[nameOf(node)]}`,
                    onclick: () => change({q: '', zoom: zoomFromText(nameOf(node))})
                  },
                  element('i', {class: 'swatch', style: `background:${themeColour('--bar')}`}),
                  nameOf(node)));
  byId('legend').replaceChildren(
      ...groups, ...(kind.leaf ? [item(themeColour('--class'), kind.leaf, '')] : []),
      item(themeColour('--jdk'), 'JDK', 'java, javax, jdk, sun, com.sun'),
      ...[...hues].map(
          ([name, hue]) => item(
              shade(hue), name || '(no package)', 'show in the graph',
              name ? `^${asPattern(name)}\\.[^.]+\\.[^.]+$` : '^[^.]+\\.[^.]+$')),
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
  byId('facts').textContent = [
    summary.vm,
    ...(data.time_alone ? [summary.tracked_ms ? `for ${humanDuration(summary.tracked_ms)}` : ''] :
            notTold     ? ['fetched by ddm; engine and times are not known'] :
                          [
                        `engine ${summary.engine}` + (summary.shows ? ` (${summary.shows})` : ''),
                        `stack walker ${summary.walker}`,
                        ...(sampled ?
                                    [`estimated from ${grouped(summary.samples)} samples, one every ${
                                    humanBytes(summary.interval)} of a thread on average`] :
                                    []),
                        `tracked for ${humanDuration(summary.tracked_ms)}`,
                      ]),
    summary.written_ms ? `written ${new Date(summary.written_ms).toLocaleString()}` : '',
    summary.reason ? `reason: ${summary.reason}` : '',
    summary.recovered ? `recovered from ${summary.recovered}` : '',
  ].filter(Boolean).join(' \u00b7 ');
}
function showTitle() {
  const app = summary.app || 'a program';
  document.title = `${kind.title} ${app}`;
  byId('title').replaceChildren(
      `${kind.title} ${app} `, element('small', {}, `pid ${summary.pid}`));
  byId('tiles').replaceChildren(...kind.tiles().map(
      ({name, value, words}) => element(
          'div', {class: 'tile'}, element('span', {class: 'name'}, name), element('b', {}, value),
          element('span', {class: 'words'}, words))));
}
// What stands around the graph, of the kind that is shown.
function showKind() {
  showTitle();
  byId('span').textContent = kind.span();
  byId('measures')
      .replaceChildren(...kind.measures.map(
          ({key, title}) => element(
              'button', {type: 'button', 'data-by': key, onclick: () => change({by: key})},
              title)));
  byId('measures').hidden = kind.measures.length < 2;
  document.querySelector('button[data-view=callers]').title = kind.callers;
  choosePackages();
  showLegend();
}

// The tree must agree with the records, and what is drawn with the tree: "ok", or what is wrong.
function checkTotals() {
  // Each leaf of a tree of estimates is rounded.
  const rounding = sampled && kind === kinds.allocations ? nodeCount : 0;
  for (const {key, all} of kind.measures) {
    if (Math.abs(totals[key][0] - source[key]) > rounding) {
      return `the tree has ${totals[key][0]} ${all}, the figures ${source[key]}`;
    }
    if (!source.allSets) continue;
    const sum = source.allSets.figures[key].reduce((some, figure) => some + figure, 0);
    if (Math.abs(sum - source[key]) > rounding) {
      return `all stacks have ${sum} ${all}, the figures ${source[key]}`;
    }
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

let tabled = '';  // what the tables show
let kindShown;
const views = document.querySelectorAll('button[data-view]');
function render() {
  sortChildren(state.by);
  if (kindShown !== source) showKind();
  kindShown = source;
  const about = [state.of, state.by, state.sort].join();
  if (tabled !== about) showTables();
  tabled = about;
  byId('hint').textContent = state.view === 'callers' ?
      `${kind.callers} Bars below a bar are its callers. Click zooms, Esc resets.` :
      `${kind.hint} Click zooms, Esc resets.`;
  search();
  layOut(canvas.clientWidth);
  paint();
  // The root is in view, whichever end of the graph it is at.
  byId('graph').scrollTop = state.view === 'flame' ? canvas.clientHeight : 0;
  showCrumbs();
  for (const button of document.querySelectorAll('button[data-by]'))
    button.setAttribute('aria-pressed', button.dataset.by === state.by);
  for (const button of views)
    button.setAttribute('aria-pressed', button.dataset.view === state.view);
  for (const button of document.querySelectorAll('button[data-of]'))
    button.setAttribute('aria-pressed', button.dataset.of === state.of);
  const facts = byId('report').dataset;
  for (const key of Object.keys(facts)) {
    if (/^(total|zoom)./.test(key)) delete facts[key];
  }
  for (const {key} of kind.measures) {
    const name = key[0].toUpperCase() + key.slice(1);
    facts['total' + name] = totals[key][0];
    facts['zoom' + name] = totals[key][state.zoom];
  }
  Object.assign(facts, {
    of: state.of,
    nodes: nodeCount,
    by: state.by,
    view: state.view,
    zoom: nameOf(state.zoom),
    drawn: drawn.length,
    selfCheck: checkBars(),
  });
}
function change(wanted) {
  const turned = (wanted.view === 'callers') !== (state.view === 'callers');
  if ((wanted.of && wanted.of !== state.of) || (wanted.view && turned)) wanted.zoom = 0;
  if (wanted.of && scopeOf(wanted.of)[3] !== scopeOf(state.of)[3]) {
    Object.assign(wanted, {by: '', sort: ''});  // those of the other kind
  }
  Object.assign(state, wanted);
  useSource(state.of, state.view);
  useMeasure(state.by);
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

// Why there is nothing to draw.
function emptiness() {
  if (!data.time_alone) return 'No allocation was recorded, so there is nothing to draw.';
  return [
    summary.sampler ? 'No thread was met running.' : '',
    summary.monitor ? 'No thread had to wait for a lock.' : '',
    data.incomplete || '',
    'There is nothing to draw.',
  ].filter(Boolean)
      .join(' ');
}

showHeader();
byId('scopes').replaceChildren(...offered.map(
    ([name, title, meaning]) => element(
        'button',
        {type: 'button', 'data-of': name, title: meaning, onclick: () => change({of: name})},
        title)));
byId('scopes').hidden = offered.length < 2;
if (offered.length > 0) {
  byId('main').hidden = false;
  listen();
  fromFragment();
} else {
  kind = data.time_alone ? {...kinds.times, title: 'Time of', tiles: () => []} : kinds.allocations;
  byId('empty').textContent = emptiness();
  byId('empty').hidden = false;
  showTitle();
}
