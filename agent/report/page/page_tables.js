// Tables: their cells, their rows out of the tree, and how they stand in the page. Tabs choose one;
// what is zoomed to and searched for is what they are of.

// ---- cells -------------------------------------------------------------------------------

const asPattern = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const exactly = (name) => `^${asPattern(name)}$`;
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
        change({q: exactly(name)});
        byId('main').scrollIntoView({behavior: 'smooth', block: 'nearest'});
      },
    },
    ...breakable(text));
const frameLine = (word, name, place, more = '') => element(
    'div', {class: 'at', title: `${name} (${place})`}, `${word} `,
    searchLink(name, withoutPackage(name, false)), element('small', {}, ` ${place}${more}`));
// A method by its own name and class, its package below.
const methodCell = (name, more = '') =>
    [searchLink(name, withoutPackage(name, false)),
     more ? element('small', {}, ` ${more}`) : '',
     packageOf(name) ? element('div', {class: 'at'}, ...breakable(packageOf(name))) : '',
];
// Of one of the figures that columns may be about: share, and the figure itself.
const shareColumn = (whole) =>
    ({title: 'share', part: true, cell: (row) => percent(row[state.by], whole)});
const figureColumn = (key, title, words, tip) => ({
  title,
  key,
  number: true,
  cell: (row) => words(row[key]),
  tip: tip && ((row) => tip(row[key])),
});
const nsColumn = (key, title) => figureColumn(key, title, humanNs, (ns) => `${grouped(ns)} ns`);

// ---- rows --------------------------------------------------------------------------------

const frameOf = (node) => (node > 0 ? base.frame[node] : -1);
const methodName = (frame) => (frame >= 0 ? data.names[frameMethods[frame]] : '');
const framePlace = (frame) => (frame >= 0 ? placeOf(frame) : '');
// The frame that a stack ends in, of a class the one that allocates it.
function innermostFrame(end) {
  const node = base.frame[end] >= 0 ? end : base.parent[end];
  return base.frame[node] >= 0 && origins[base.name[node]] !== kNowhere ? base.frame[node] : -1;
}
const appFrame = (end) => frameOf(appOf(base)[end]);
const classOf = (end) => (base.frame[end] < 0 ? base.name[end] : -1);
// Of some kinds a thread, or how it was waited.
function outermost(end, {parent, name} = base) {
  while (parent[end] !== 0) end = parent[end];
  return name[end];
}

// One row for each key of the stacks of `chosen`: sums of all figures, and whatever `first` makes of
// the first of them; each(row, end) sees all.
function rowsBy(chosen, keyOf, first, each) {
  const own = figuresShown(), rows = new Map();
  for (const end of base.ends) {
    if (chosen && !chosen[end]) continue;
    const key = keyOf(end);
    let row = rows.get(key);
    if (!row) {
      rows.set(key, (row = first(end)));
      for (const figure of base.keys) row[figure] = 0;
    }
    for (const figure of base.keys) row[figure] += own[figure][end];
    if (each) each(row, end);
  }
  return [...rows.values()].filter((row) => base.keys.some((figure) => row[figure] !== 0));
}
// What a tab makes: the rows of the chosen stacks, and the columns for them.
const tableOf = (rowsOf, columnsOf) => (chosen) => {
  const rows = rowsOf(chosen);
  return {rows, columns: columnsOf(rows)};
};
const kMostFrames = frameMethods.length + 1;
const sumOf = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);

// ---- the table in the page ---------------------------------------------------------------

const kRowsAtFirst = 25, kRowsAtMost = 2000;
const showAll = new Set();
// columns: {title, number, key, cell(row)}; a click on the head of one with a key sorts by it.
// sort: the key that rows stand by without one, '' = the measure. The page may hold fewer rows than
// there are: the largest of `total`.
function showTable({id, rows: all, columns, sort: unasked = '', total = all.length}) {
  const asked = columns.find((column) => column.key && column.key === state.sort);
  const key = asked ? asked.key : unasked || state.by;
  const by = columns.find((column) => column.key === key) || {number: true};
  const value = by.size || ((row) => row[key]);
  const sorted = [...all].sort(
      (a, b) => by.number ? value(b) - value(a) :
          a[key] < b[key] ? -1 :
          a[key] > b[key] ? 1 :
                            b[state.by] - a[state.by]);
  const which = `${state.of} ${id}`;  // tables of different figures may be called the same
  const shown = sorted.slice(0, showAll.has(which) ? kRowsAtMost : kRowsAtFirst);
  const head = element('tr', {}, ...columns.map((column) => {
    const sorts = column.key ?
        {'aria-sort': column.key === key ? (by.number ? 'descending' : 'ascending') : 'none'} :
        {};
    return element(
        'th', {...(column.number ? {class: 'number'} : {}), ...sorts, scope: 'col'},
        column.key ?
            element(
                'button', {type: 'button', onclick: () => change({sort: column.key})},
                column.title) :
            column.title);
  }));
  const body = shown.map((row) => element('tr', {}, ...columns.map((column) => {
    const attributes = column.number ? {class: 'number'} : column.whole ? {class: 'whole'} : {};
    if (column.part)
      Object.assign(attributes, {class: 'share', style: `--part:${column.cell(row)}`});
    if (column.paint) attributes.class = `${attributes.class || ''} ${column.paint(row)}`;
    if (column.tip) attributes.title = column.tip(row);
    return element('td', attributes, ...[column.cell(row)].flat());
  })));
  const table = element('table', {id});
  table.append(element('thead', {}, head), element('tbody', {}, ...body));
  Object.assign(table.dataset, {shown: shown.length, rows: sorted.length, total, sort: key});
  const foot = [];
  if (shown.length < total) foot.push(`${grouped(shown.length)} of ${grouped(total)} shown`);
  if (shown.length < Math.min(sorted.length, kRowsAtMost)) {
    const most = Math.min(sorted.length, kRowsAtMost);
    foot.push(', ', element('button', {
                type: 'button',
                onclick: () => {
                  showAll.add(which);
                  showTables();
                }
              },
              most < total ? `show the largest ${grouped(most)}` : 'show all'));
  } else if (shown.length < total) {
    foot.push(`; ${kind.more}`);
  }
  if (foot.length) {
    table.append(
        element('tfoot', {}, element('tr', {}, element('td', {colspan: columns.length}, ...foot))));
  }
  return table;
}

let tabShown;
function showTables() {
  const tabs = kind.tabs();
  const chosen = tabs.find(({id}) => id === state.tab) || tabs[0];
  tabShown = chosen.id;
  byId('tabs').replaceChildren(...tabs.map(
      ({id, short, title}) => element(
          'button', {
            type: 'button', role: 'tab', 'data-tab': id, title,
            'aria-selected': id === chosen.id,
            tabindex: id === chosen.id ? 0 : -1,
            onclick: () => change({tab: id === tabs[0].id ? '' : id, sort: ''}),
            onkeydown: (event) => {
              const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
              if (!step) return;
              event.preventDefault();
              event.stopPropagation();
              const at = tabs.findIndex((tab) => tab.id === id);
              const next = tabs[(at + step + tabs.length) % tabs.length].id;
              change({tab: next === tabs[0].id ? '' : next, sort: ''});
              flushTables();
              document.querySelector(`button[data-tab="${next}"]`).focus();
            },
          },
          short)));
  const chosenEnds = chosen.whole ? null : selection();
  byId('toptitle').textContent = chosen.title;
  byId('topof').textContent = chosen.whole && (selection() || state.from >= 0) ?
      'of the whole, whatever part is shown' :
      selectionWords(chosenEnds);
  byId('topbox').replaceChildren(showTable({id: chosen.id, ...chosen.make(chosenEnds)}));
}
// Of how much the table is, where it is not of everything.
function selectionWords(chosen) {
  const parts = [];
  if (state.zoom) parts.push(`in ${nameOf(state.zoom)}`);
  if (state.below >= 0) parts.push(`below ${textOf(state.below)}`);
  if (matches) parts.push(`matching \u201c${state.q}\u201d`);
  if (state.without.size) parts.push(`without ${[...state.without].map(textOf).join(', ')}`);
  if (state.from >= 0) parts.push(spanWords());
  if (!parts.length) return '';
  if (kind.part) return `${parts.join(', ')}: ${kind.part(chosen)}`;
  const own = figuresShown()[state.by];
  let sum = 0;
  for (const end of base.ends) if (!chosen || chosen[end]) sum += own[end];
  const whole = base.own[state.by].reduce((all, one) => all + one, 0);
  return `${parts.join(', ')}: ${measure().words(sum)}, ${percent(sum, whole)} of all`;
}
