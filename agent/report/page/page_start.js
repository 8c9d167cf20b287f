// What stands on the page, and that it is what was asked for.

function showLegend() {
  const item = (style, name, title, onclick) => {
    const swatch = element('i', {class: 'swatch', style: `background:${style}`});
    return onclick ? element('button', {type: 'button', title, onclick}, swatch, name) :
                     element('span', {title}, swatch, name);
  };
  if (kind.legend) return byId('legend').replaceChildren(...kind.legend(item));
  const kindsOfWaiting = Object.keys(kind.groups || {});
  const inOrder = (node) => kindsOfWaiting.indexOf(nameOf(node));
  const groups =
      [...tree.children(0)]
          .filter(isGroup)
          .sort((a, b) => inOrder(a) - inOrder(b))
          .map((node) => item(
                   themeColour('--bar'), nameOf(node),
                   `zoom to what was waited ${kind.groups[nameOf(node)]}`,
                   () => change({q: '', zoom: zoomFromText(nameOf(node))})));
  byId('legend').replaceChildren(
      ...groups, ...(kind.leaf ? [item(themeColour('--class'), kind.leaf, '')] : []),
      item(themeColour('--jdk'), 'JDK', 'java, javax, jdk, sun, com.sun'),
      ...[...hues].map(([code, hue]) => {
        const name = packages[code - kPackages];
        return item(shade(hue), name, 'show in the graph', () => change({q: `package:${name}`}));
      }),
      item(shade(200, 0.45), 'other packages', 'one pale colour a package'),
      item(themeColour('--rest'), 'small or unknown', 'many small ones together, or cut stacks'),
      item(themeColour('--match'), 'search match', ''));
}
const samplesTaken = () =>
    summary.samples === null ? 'samples' : `${grouped(summary.samples)} samples`;
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
            neverTracked ? ['tracking was never on'] :
                          [
                        `engine ${summary.engine}` + (summary.shows ? ` (${summary.shows})` : ''),
                        ofMalloc ? '' : `stack walker ${summary.walker}`,
                        ...(sampled ?
                                    [`estimated from ${samplesTaken()}, one every ${
                                    humanBytes(summary.interval)} of a thread on average`] :
                                    []),
                        ofMalloc ? '' : `tracked for ${humanDuration(summary.tracked_ms)}`,
                      ]),
    summary.written_ms ? `written ${new Date(summary.written_ms).toLocaleString()}` : '',
    summary.reason ? `reason: ${summary.reason}` : '',
    summary.below ? `only what is below ${summary.below}` : '',
    summary.recovered ? `recovered from ${summary.recovered}` : '',
  ].filter(Boolean).join(' \u00b7 ');
}
function showTitle() {
  const app = summary.app || 'a program';
  document.title = `${kind.title} ${app}`;
  byId('title').replaceChildren(
      `${kind.title} ${app} `, element('small', {}, `pid ${summary.pid}`));
  byId('cards').replaceChildren(...kind.cards().map(({name, value, words, q}) => {
    const parts = [
      element('span', {class: 'name'}, name), element('b', {}, value),
      element('span', {class: 'words'}, words)
    ];
    return q ?
        element('button', {type: 'button', class: 'card', title: 'show in the graph',
                           onclick: () => change({q, of: 'run'})}, ...parts) :
        element('div', {class: 'card'}, ...parts);
  }));
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
  byId('switches').replaceChildren(
      ...switches.filter(([name]) => name !== 'threads' || hasThreads())
          .map(([name, title, meaning]) => {
            const box = element('input', {
              type: 'checkbox', id: `switch-${name}`,
              onchange: (event) => change({[name]: event.target.checked}),
            });
            return element('label', {title: meaning}, box, ` ${title}`,
                           element('small', {}, meaning));
          }));
}

// The tree must agree with the report's figures, and what is drawn with the tree: "ok", or what is
// wrong.
function checkTotals() {
  // Each leaf of a tree of estimates is rounded.
  const rounding = sampled && (kind === kinds.allocations || kind === kinds.changes) ? base.size : 0;
  for (const {key, all} of kind.measures) {
    const expected = kind === kinds.changes ? source[key] + source[`${key}_before`] :
        source === data.recent          ? data[`recorded_${key}`] :
                                          source[key];
    const sum = (of) => base.own[of].reduce((some, figure) => some + figure, 0);
    const mine = kind === kinds.changes ? sum(`${key}After`) + sum(`${key}Before`) : sum(key);
    if (Math.abs(mine - expected) > rounding) {
      return `the tree has ${mine} ${all}, the figures ${expected}`;
    }
    const whole = state.below < 0 && state.without.size === 0 && !state.only && state.from < 0;
    if (whole && totals[key][0] !== sum(key)) {
      return `the graph has ${totals[key][0]} ${all}, the tree ${sum(key)}`;
    }
  }
  return 'ok';
}
function checkBars() {
  const size = totals[state.by], own = tree.own[state.by];
  const inside = new Map();
  for (const bar of drawn) {
    if (bar.x < -1e-6 || bar.x + bar.width > drawnWidth + 1e-6)
      return `${nameOf(bar.node)} is drawn outside`;
    if (bar.dimmed || (bar.node === state.zoom && !bar.rest)) continue;
    const parent = bar.rest ? bar.node : tree.parent[bar.node];
    inside.set(parent, (inside.get(parent) || 0) + bar.width);
  }
  for (const bar of drawn) {  // up to a pixel of children that are too narrow may be missing
    if (bar.dimmed || bar.rest || !tree.children(bar.node).length) continue;
    const filled = inside.get(bar.node) || 0;
    const ends = size[bar.node] ? (bar.width * own[bar.node]) / size[bar.node] : 0;
    if (Math.abs(filled + ends - bar.width) > 1 + 1e-6) {
      return `${nameOf(bar.node)} is ${bar.width} wide, its children ${filled}`;
    }
  }
  return checkTotals();
}

// Tables and the address come after the graph: a zoom is seen at once.
let tabled = '', tablesDue, addressDue;
function flushTables() {
  clearTimeout(addressDue);
  if (addressDue !== undefined) writeFragment();
  addressDue = undefined;
  if (tablesDue === undefined) return;
  clearTimeout(tablesDue);
  tablesDue = undefined;
  showTables();
  showBand();
}
function askForAddress() {
  clearTimeout(addressDue);
  addressDue = setTimeout(() => {
    addressDue = undefined;
    writeFragment();
  }, 150);
}
function askForTables() {
  const wanted = JSON.stringify([
    state.of, state.by, state.sort, state.tab, state.q, state.below, [...state.without],
    state.only, spanText(), state.zoom, state.view, switches.map(([name]) => state[name])
  ]);
  if (tabled === wanted) return;
  tabled = wanted;
  clearTimeout(tablesDue);
  tablesDue = setTimeout(flushTables, 40);
}
let kindShown;
// The graph, and what has to be said of it.
function render() {
  if (kindShown !== source) showKind();
  kindShown = source;
  askForTables();
  byId('hint').textContent = (state.view === 'callers' ?
      `${kind.callers} Bars below a bar are its callers.` :
      kind.hint) + ' Click zooms, a right click has more, Esc resets; arrow keys walk.';
  search();
  draw();
  // The root is in view, whichever end of the graph it is at.
  byId('graph').scrollTop = state.view === 'flame' ? rows * kRow : 0;
  paint();
  showCrumbs();
  showChips();
  showFound();
  for (const [key, value] of [['by', state.by], ['view', state.view], ['of', state.of]]) {
    for (const button of document.querySelectorAll(`button[data-${key}]`))
      button.setAttribute('aria-pressed', button.dataset[key] === value);
  }
  for (const [name] of switches) {
    const box = byId(`switch-${name}`);
    if (box) box.checked = state[name];
  }
  const chosen = switches.filter(([name]) => state[name]).length;
  byId('optionswords').textContent = chosen ? `View (${chosen})` : 'View';
  tellFacts();
}
function draw() {
  layOut(byId('sheet').clientWidth);
  hovered = undefined;
  focused = undefined;
}
function tellFacts() {
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
    nodes: tree.size,
    by: state.by,
    view: state.view,
    zoom: nameOf(state.zoom),
    drawn: drawn.length,
  });
}
function change(wanted) {
  const before = {...state, names: pathTo(state.zoom).map(nameOf), classFirst: tree.classFirst};
  if (wanted.of && scopeOf(wanted.of)[3] !== scopeOf(state.of)[3]) {
    Object.assign(wanted, {by: '', sort: '', tab: ''});  // those of the other kind
  }
  if (wanted.of && wanted.of !== state.of) Object.assign(wanted, {from: -1, to: -1});
  Object.assign(state, wanted);
  if (!state.q) state.only = false;
  // In another tree the bar of the same name is looked for.
  const turned = useTree();
  useMeasure(state.by);
  if (turned) {
    const same = before.of === state.of && before.classFirst === tree.classFirst;
    state.zoom = same && wanted.zoom === undefined ? zoomFromNames(before.names) : 0;
  }
  if (byId('search').value !== state.q) byId('search').value = state.q;
  render();
  askForAddress();
  if (state.q && state.q !== before.q) revealMatch();
}
// The widest match that is drawn.
function revealMatch() {
  const shown = new Map();
  for (const bar of drawn) if (!bar.rest && !bar.dimmed) shown.set(bar.node, bar);
  const at = matchedBars().findIndex((node) => shown.has(node));
  if (at < 0) return;
  matches.bars.at = at;
  lastMatch = {q: state.q, tree, node: matchedBars()[at]};
  focusBar(shown.get(lastMatch.node), false);
  showFound();
}
function fromFragment() {
  readFragment();
  byId('search').value = state.q;
  render();
  if (state.q) revealMatch();
  flushTables();
  byId('report').dataset.selfCheck = checkBars();
}

// Why there is nothing to draw.
function emptiness() {
  if (neverTracked && !data.time_alone) {
    return 'Tracking was never on, so there is nothing to draw. `ddm track PID on` starts it, or ' +
        'the option track=y of the agent.';
  }
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
  listenToToolbar();
  listenToGraph();
  listenToMenu();
  listenToBand();
  addEventListener('hashchange', fromFragment);
  fromFragment();
  // Also when a scroll bar comes or goes, which is no resize of the window.
  new ResizeObserver(() => {
    if (byId('sheet').clientWidth !== drawnWidth) render();
    paint();
    showBand();
  }).observe(byId('graph'));
  dark.addEventListener('change', () => {
    forgetColours();
    showLegend();
    render();
    showBand();
  });
} else {
  kind = data.time_alone ? {...kinds.times, title: 'Time of', cards: () => []} : kinds.allocations;
  byId('empty').textContent = emptiness();
  byId('empty').hidden = false;
  showTitle();
}
