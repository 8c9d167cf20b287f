// Cells of tables, and what there is to say of allocations: tables, tiles, words. Goes on where
// flame_graph_picture.js ends.

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
        change({q: exactly(name), zoom: 0});
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

// ---- allocations -------------------------------------------------------------------------

const allocationColumns = () =>
    [shareColumn(totals[state.by][0]),
     figureColumn('bytes', 'bytes', humanBytes, (bytes) => `${grouped(bytes)} bytes`),
     figureColumn('count', 'count', grouped),
];
const siteRows = (rows) => rows.map(
    ([type, frame, place, app, appPlace, bytes, count, appBytes, ages]) =>
        ({type, frame, place, app, appPlace, bytes, count, appBytes, ages, age: middleAge(ages)}));
// Ages, in collections survived, come in classes: 0, 1, 2-3, 4-7, ..., 1,024 and more.
const kOldest = 11;
const ageWords = (at) => at < 2 ? `${at}` :
    at === kOldest ? `${grouped(2 ** (at - 1))}+` :
                     `${grouped(2 ** (at - 1))}-${grouped(2 ** at - 1)}`;
// Half of the objects are in this class or in older ones.
function middleAge(ages) {
  if (!ages) return 0;
  const all = ages.reduce((sum, n) => sum + n, 0);
  let at = kOldest;
  for (let older = ages[at]; at > 0 && (older === 0 || 2 * older < all);) older += ages[--at];
  return at;
}
const survivedColumn = {
  title: 'survived',
  key: 'age',
  number: true,
  cell: (row) => ageWords(row.age),
  tip: (row) => 'collections survived: objects\n' +
      row.ages.map((n, at) => (n ? `${ageWords(at)}: ${grouped(n)}` : ''))
          .filter(Boolean)
          .join('\n'),
};
// A site by all its names: the class, who allocates, and for whom.
function siteCell(row) {
  const lines = [searchLink(row.type)];
  if (row.frame) lines.push(frameLine('at', row.frame, row.place));
  if (row.app && (row.app !== row.frame || row.appPlace !== row.place)) {
    const part = row.appBytes < row.bytes ? `, ${percent(row.appBytes, row.bytes)} of it` : '';
    lines.push(frameLine('from', row.app, row.appPlace, part));
  }
  if (!row.frame && !row.app) lines.push(element('div', {class: 'at'}, '(no Java frame)'));
  return lines;
}
function classTotals({frames, classes, tree, allSets}) {
  const rows = classes.map((type) => ({type, bytes: 0, count: 0}));
  const add = (name, bytes, count) => {
    rows[name - frames.length].bytes += bytes;
    rows[name - frames.length].count += count;
  };
  if (allSets) {
    const {bytes, count} = allSets.figures;
    forEachSet(
        allSets, (type, name) => (name < frames.length ? type : name),
        (type, i) => add(type, bytes[i], count[i]));
  } else {
    for (let node = 1; node < tree.parent.length; ++node) {
      if (tree.name[node] >= frames.length) add(tree.name[node], tree.bytes[node], tree.count[node]);
    }
  }
  return rows.filter(({bytes, count}) => bytes || count);
}
const threads = data.threads.map(
    ([id, name, bytes, count, allocated, seen]) => ({id, name, bytes, count, allocated, seen}));
// Oldest first: what is not given back is at the top.
function agesTable(columns) {
  return {
    id: 'ages',
    title: 'By age: how many collections objects have survived',
    rows: summary.live_ages.map(({survived, count, bytes}) => ({survived, count, bytes})),
    columns: [
      ...columns, {
        title: 'survived',
        key: 'survived',
        number: true,
        cell: ({survived}) => ageWords(survived ? Math.log2(survived) + 1 : 0),
      }
    ],
    sort: 'survived',
  };
}
function allocationTables() {
  const columns = allocationColumns();
  const ages = source === data.live ? [survivedColumn] : [];
  source.byClass ??= classTotals(source);
  const tables = [{
    id: 'sites',
    title: 'Top sites',
    rows: siteRows(source.sites),
    columns:
        [...columns, ...ages, {title: 'class, allocated at, from', key: 'type', cell: siteCell}],
    total: source.site_count,
  }];
  if (source.app_sites) {
    tables.push({
      id: 'appsites',
      title: 'By the first frame outside the JDK',
      rows: siteRows(source.app_sites),
      columns: [...columns, ...ages, {title: 'class, first frame outside the JDK', cell: siteCell}],
      total: source.app_site_count,
    });
  }
  if (source === data.live) tables.push(agesTable(columns));
  tables.push({
    id: 'classes',
    title: 'By class',
    rows: source.byClass,
    columns: [...columns, {title: 'class', cell: (row) => searchLink(row.type)}],
  });
  const thread = [{title: 'thread', cell: (row) => `${row.name || '(no name)'} (${row.id})`}];
  const counted = (title, value) => ({
    title,
    number: true,
    cell: (row) => (row.allocated === null ? '' : grouped(value(row))),
  });
  if (threads.some((row) => row.allocated !== null)) {
    thread.push(counted('allocated (VM)', (row) => row.allocated));
    if (!sampled) thread.push(counted('unattributed', (row) => row.allocated - row.seen));
  }
  // Threads are those of the recent records, whatever else is shown.
  const recorded = {bytes: data.recorded_bytes, count: data.recorded_count}[state.by];
  tables.push({
    id: 'threads',
    title: 'By thread, of the recent ones',
    rows: threads,
    columns: [shareColumn(recorded), ...columns.slice(1), ...thread],
  });
  return tables;
}
const notTold = summary.engine === 'unknown';  // a DDM server's answer has fewer facts
function allocationTiles() {
  const recorded = {
    name: 'Recent',
    value: about + humanBytes(data.recorded_bytes),
    words: !notTold && data.recorded_count < summary.seen ?
        `the most recent ${times(data.recorded_count)}, with their stacks` :
        `${times(data.recorded_count)}, with their stacks`,
  };
  if (notTold) {
    return [
      recorded,
      {
        name: 'Completeness',
        value: 'not known',
        words: 'see the reports that the program writes itself',
      },
    ];
  }
  const missing = summary.unattributed_bytes, counted = summary.allocated_bytes;
  const stacks = summary.virtual_thread_stack_bytes;
  const shortened = summary.sites_shortened ?
      `; ${percent(summary.sites_shortened, summary.seen)} of them of stacks that came up seldom, shortened` :
      '';
  const complete = sampled ?
      {
        name: 'Allocated',
        value: counted === null ? 'not known' : humanBytes(counted),
        words: 'the VM\'s own count, to hold the estimate against',
      } :
      {
        name: 'Unattributed',
        value: missing === null ? 'not known' : humanBytes(missing),
        words: missing === null ?
            'this VM keeps no allocation counter' :
            `${
                percent(
                    missing, missing + summary.seen_bytes)} of what the VM counted was not seen` +
                (stacks ? `; virtual thread stacks: at most ${humanBytes(stacks)}` : ''),
      };
  return [
    {
      name: 'Whole run',
      value: about + humanBytes(summary.seen_bytes),
      words: `${times(summary.seen)} seen since tracking began${shortened}`,
    },
    recorded,
    complete,
    {
      name: 'Dropped',
      value: grouped(summary.dropped),
      words: summary.dropped ?
          (sampled ? 'samples' : 'allocations') + ' seen but not recorded' :
          `every ${sampled ? 'sample' : 'allocation seen'} went into the record`,
    },
  ];
}
function allocationSpan() {
  let span = '';
  if (summary.recorded > 0) {
    const clock = (ms) => new Date(ms).toLocaleTimeString();
    const [from, to] = [clock(data.oldest_ms), clock(data.newest_ms)];
    span = (data.run ? 'Recent are the allocations recorded last' :
                       'This page shows the recorded allocations') +
        (notTold ? '.' :
                   `: ${humanDuration(Math.max(data.newest_ms - data.oldest_ms, 0))}, ` +
                 (from === to ? `at ${to}.` : `from ${from} to ${to}.`));
  }
  if (data.live) {
    // Nobody has looked at these yet.
    const fresh = summary.live_ages.find(({survived}) => survived === 0);
    span += ` Live is what collection ${summary.gc} has not found dead` +
        (fresh ? `, and ${humanBytes(fresh.bytes)} that were allocated since` : '') +
        (summary.live_one_in > 1 ? `; estimated from one object in ${summary.live_one_in}.` : '.');
  }
  return span;
}
