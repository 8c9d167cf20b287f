// What there is to say of each kind of figures: measures, words, tables, tiles. Goes on where
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
    ([type, frame, place, app, appPlace, bytes, count, appBytes]) =>
        ({type, frame, place, app, appPlace, bytes, count, appBytes}));
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
function classTotals({frames, classes, tree}) {
  const rows = classes.map((type) => ({type, bytes: 0, count: 0}));
  for (let node = 1; node < tree.parent.length; ++node) {
    if (tree.name[node] < frames.length) continue;
    rows[tree.name[node] - frames.length].bytes += tree.bytes[node];
    rows[tree.name[node] - frames.length].count += tree.count[node];
  }
  return rows;
}
const threads = data.threads.map(
    ([id, name, bytes, count, allocated, seen]) => ({id, name, bytes, count, allocated, seen}));
function allocationTables() {
  const columns = allocationColumns();
  source.byClass ??= classTotals(source.rootFirst);
  const tables = [{
    id: 'sites',
    title: 'Top sites',
    rows: siteRows(source.sites),
    columns: [...columns, {title: 'class, allocated at, from', key: 'type', cell: siteCell}],
    total: source.site_count,
  }];
  if (source.app_sites) {
    tables.push({
      id: 'appsites',
      title: 'By the first frame outside the JDK',
      rows: siteRows(source.app_sites),
      columns: [...columns, {title: 'class, first frame outside the JDK', cell: siteCell}],
      total: source.app_site_count,
    });
  }
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
      `; ${percent(summary.sites_shortened, summary.seen)} of them with shortened stacks` :
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
    span = (data.run ? 'Recent are the allocations recorded last' :
                       'This page shows the recorded allocations') +
        (notTold ? '.' :
                   `: ${humanDuration(Math.max(data.newest_ms - data.oldest_ms, 0))}, from ${
                       clock(data.oldest_ms)} to ${clock(data.newest_ms)}.`);
  }
  if (data.live) {
    span += ` Live is what collection ${summary.gc} has not found dead` +
        (summary.live_one_in > 1 ? `, estimated from one object in ${summary.live_one_in}.` : '.');
  }
  return span;
}

// ---- time --------------------------------------------------------------------------------

// "(ILjava/lang/String;[J)V" -> "(int, String, long[])", to tell overloads apart.
function parameters(signature) {
  const basic = {
    B: 'byte',
    C: 'char',
    D: 'double',
    F: 'float',
    I: 'int',
    J: 'long',
    S: 'short',
    Z: 'boolean'
  };
  const inside = signature.slice(1, signature.lastIndexOf(')'));
  const each = inside.match(/\[*(L[^;]+;|[BCDFIJSZ])/g) || [];
  return `(${
      each.map((type) => {
            const name = type.replace(/^\[+/, '');
            const plain = basic[name] || name.slice(1, -1).replace(/^.*\//, '');
            return plain + '[]'.repeat(type.length - name.length);
          })
          .join(', ')})`;
}
function timesTables() {
  const rows = source.methods.map(
      ([name, signature, count, exceptions, total, ns, cpu]) =>
          ({name, signature, count, exceptions, total, ns, cpu}));
  const seen = new Map();
  for (const {name} of rows) seen.set(name, (seen.get(name) || 0) + 1);
  const cell = (row) => {
    const more = [
      seen.get(row.name) > 1 ? parameters(row.signature) : '',
      row.exceptions ? `${grouped(row.exceptions)} ended by an exception` : '',
    ];
    return methodCell(row.name, more.filter(Boolean).join(' '));
  };
  const byClass = new Map();
  for (const row of rows) {
    const type = row.name.slice(0, row.name.lastIndexOf('.'));
    const sum = byClass.get(type) || {type, ns: 0, count: 0, methods: 0};
    byClass.set(
        type, {type, ns: sum.ns + row.ns, count: sum.count + row.count, methods: sum.methods + 1});
  }
  const share = shareColumn(totals[state.by][0]);
  const self = nsColumn('ns', 'self'), calls = figureColumn('count', 'calls', grouped);
  const perCall = (title, key) =>
      ({title, number: true, cell: (row) => humanNs(Math.round(row[key] / row.count))});
  const cpu = {
    title: 'CPU of total',
    number: true,
    cell: (row) => percent(row.cpu, row.total),
    tip: (row) => humanNs(row.cpu),
  };
  return [
    {
      id: 'methods',
      title: 'Methods',
      rows,
      columns:
          [share, self, nsColumn('total', 'total'), calls, {title: 'method', key: 'name', cell}],
      total: source.methods_count,
    },
    {
      id: 'percall',
      title: 'Time a call',
      rows: rows.filter((row) => row.count > 0),
      columns: [
        perCall('total a call', 'total'), perCall('self a call', 'ns'),
        ...(rows.some((row) => row.cpu > 0) ? [cpu] : []), calls, {title: 'method', cell}
      ],
      total: source.methods_count,
    },
    {
      id: 'classes',
      title: source.methods.length < source.methods_count ? 'By class, of the methods above' :
                                                            'By class',
      rows: [...byClass.values()],
      columns: [share, self, calls, {title: 'class', cell: (row) => breakable(row.type)}],
    },
  ];
}
function timesTiles() {
  const exceptions = source.methods.reduce((sum, row) => sum + row[3], 0);
  return [
    {
      name: 'Timed',
      value: humanNs(totals.ns[0]),
      words: 'in timed methods, all threads together',
    },
    {
      name: 'Calls',
      value: grouped(totals.count[0]),
      words: `of ${many(source.methods_count, 'method')}` +
          (exceptions ? `; ${grouped(exceptions)} ended by an exception` : ''),
    },
  ];
}

function samplesTables() {
  const share = shareColumn(source.count);
  const self = figureColumn('count', 'self', grouped);
  return [
    {
      id: 'methods',
      title: 'Methods',
      rows: source.methods.map(([name, count, total]) => ({name, count, total})),
      columns: [
        share, self, figureColumn('total', 'total', grouped),
        {title: 'method', key: 'name', cell: (row) => methodCell(row.name)}
      ],
      total: source.methods_count,
    },
    {
      id: 'outside',
      title: 'By the first frame outside the JDK',
      rows: source.outside.map(([name, place, count]) => ({name, place, count})),
      columns: [
        share, figureColumn('count', 'count', grouped), {
          title: 'method',
          cell: (row) => (row.name ? methodCell(row.name, row.place) : '(no Java frame)'),
        }
      ],
      total: source.outside_count,
    },
    {
      id: 'threads',
      title: 'By thread',
      rows: source.threads.map(([name, count]) => ({name, count})),
      columns: [
        share, figureColumn('count', 'count', grouped),
        {title: 'thread', cell: (row) => row.name || '(no name)'}
      ],
      total: source.threads_count,
    },
  ];
}
function samplesTiles() {
  const {sampler} = summary;
  const tiles = [{
    name: 'Samples',
    value: grouped(source.count),
    words: sampler ? `some ${humanNs(source.count * sampler.asked_ns)} of CPU, one for each ${
                         humanNs(sampler.asked_ns)} of a thread` :
                     '',
  }];
  if (!sampler) return tiles;
  const failed = Object.values(sampler.failed).reduce((sum, count) => sum + count, 0);
  tiles.push(
      {
        name: 'Looked',
        value: `${grouped(sampler.looks)} times`,
        words: `in ${humanNs(sampler.on_ns)}, every ${humanNs(sampler.mean_ns)} on average`,
      },
      {
        name: 'Cost',
        value: percent(sampler.own_ns + sampler.others_ns, sampler.on_ns),
        words: `of one CPU; the budget is ${sampler.budget}%`,
      },
      {
        name: 'Without a sample',
        value: humanNs(sampler.missed_ns),
        words: 'of CPU, of threads that were not met running' +
            (failed ? `; ${many(failed, 'stack')} could not be had` : ''),
      });
  return tiles;
}

const kWaiting = {
  enter: 'to enter a synchronized block or method',
  park: 'in LockSupport.park(), as the locks and queues of java.util.concurrent do',
  wait: 'in Object.wait()',
  pin: 'the same, a virtual thread that kept its carrier; its time is in park, too',
};
function locksTables() {
  const columns = [
    shareColumn(totals[state.by][0]), nsColumn('ns', 'time'),
    figureColumn('count', 'count', grouped)
  ];
  const kindColumn = {
    title: 'kind',
    key: 'kind',
    whole: true,
    cell: (row) => row.kind,
    tip: (row) => `waited ${kWaiting[row.kind]}`,
  };
  const typeOf = (row) => (row.type ? searchLink(row.type) : '(no object)');
  const placeCell = (row) => {
    const lines = [typeOf(row)];
    if (row.app) lines.push(frameLine('at', row.app, row.appPlace));
    if (row.frame && (row.frame !== row.app || row.place !== row.appPlace)) {
      lines.push(frameLine('in', row.frame, row.place));
    }
    if (!row.frame) lines.push(element('div', {class: 'at'}, '(no Java frame)'));
    return lines;
  };
  return [
    {
      id: 'types',
      title: 'By class and kind',
      rows: source.types.map(([kind, type, ns, count]) => ({kind, type, ns, count})),
      columns: [...columns, kindColumn, {title: 'class', key: 'type', cell: typeOf}],
      total: source.types_count,
    },
    {
      id: 'places',
      title: 'By place',
      rows: source.places.map(([kind, type, frame, place, app, appPlace, ns,
                                count]) => ({kind, type, frame, place, app, appPlace, ns, count})),
      columns:
          [...columns, kindColumn, {title: 'class, first frame outside the JDK', cell: placeCell}],
      total: source.places_count,
    },
  ];
}
function locksTiles() {
  const sums = new Map();
  for (const [kind, , ns, count] of source.types) {
    const sum = sums.get(kind) || {ns: 0, count: 0};
    sums.set(kind, {ns: sum.ns + ns, count: sum.count + count});
  }
  return Object.keys(kWaiting)
      .filter((name) => sums.has(name))
      .map((name) => ({
             name: name[0].toUpperCase() + name.slice(1),
             value: humanNs(sums.get(name).ns),
             words: `${many(sums.get(name).count, 'time')} ${kWaiting[name]}`,
           }));
}

// ---- all of them -------------------------------------------------------------------------

const bytesMeasure = {
  key: 'bytes',
  title: 'Bytes',
  all: 'bytes',
  words: humanBytes,
  exact: (n) => `${humanBytes(n)} (${grouped(n)} bytes)`,
};
const countMeasure = (title, one, all = one + 's') =>
    ({key: 'count', title, all, words: (n) => many(n, one), exact: (n) => many(n, one)});
const nsMeasure = (all) => ({
  key: 'ns',
  title: 'Time',
  all,
  words: humanNs,
  exact: (n) => (n < 1000 ? humanNs(n) : `${humanNs(n)} (${grouped(n)} ns)`),
});
// leaf: what the innermost bar is, where it is no method. hint, callers: how to read the graph.
const kinds = {
  allocations: {
    title: 'Allocations of',
    measures: [bytesMeasure, countMeasure('Count', 'allocation')],
    leaf: 'allocated class',
    hint: 'A bar is as wide as what was allocated in it and in all it called.',
    callers: 'What was allocated, by whom, called by whom.',
    more: 'a .txt or .jsonl report has more',
    tables: allocationTables,
    tiles: allocationTiles,
    span: allocationSpan,
  },
  times: {
    title: 'Method times of',
    measures: [nsMeasure('time'), countMeasure('Calls', 'call')],
    hint: 'A bar is as wide as the time from its entry to its end, all threads together.',
    callers: 'What took the time itself, called by whom.',
    more: 'reports in other formats have more',
    tables: timesTables,
    tiles: timesTiles,
    span: () => data.incomplete || '',
  },
  samples: {
    title: 'CPU samples of',
    measures: [countMeasure('Samples', 'sample')],
    hint: 'A bar is as wide as the CPU used in it and in all it called.',
    callers: 'What used the CPU itself, called by whom.',
    more: 'reports in other formats have more',
    tables: samplesTables,
    tiles: samplesTiles,
    span: () => data.incomplete || '',
  },
  locks: {
    title: 'Waiting for locks in',
    measures: [nsMeasure('waiting'), countMeasure('Count', 'time', 'waits')],
    leaf: 'what was waited for',
    groups: kWaiting,
    hint: 'A bar is as wide as the time that threads waited in it, below the kind of waiting.',
    callers: 'What was waited for, by whom, called by whom; below the kind of waiting.',
    more: 'reports in other formats have more',
    tables: locksTables,
    tiles: locksTiles,
    span: () => (summary.monitor === 'off' ? 'No longer timed.' : ''),
  },
};
const totalsAt = (node) =>
    Object.fromEntries(kind.measures.map(({key}) => [key, totals[key][node]]));
const inWords = (figures) => kind.measures.map(({key, words}) => words(figures[key])).join(' in ');
