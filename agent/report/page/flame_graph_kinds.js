// What there is to say of times, samples and locks, and of each kind of figures its measures,
// words, tables and tiles. Goes on where flame_graph_allocations.js ends.

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
  const heldBy = ([thread, app, appPlace, ns, count]) => element(
      'div', {
        class: 'at',
        title: `had it when ${many(count, 'wait')} began, ${humanNs(ns)} together` +
            (app ? `\n${app} (${appPlace})` : '')
      },
      `held by ${thread || '(no name)'}, ${humanNs(ns)}`,
      ...(app ? [' in ', searchLink(app, withoutPackage(app, false))] : []));
  const placeCell = (row) => {
    const lines = [typeOf(row)];
    if (row.app) lines.push(frameLine('at', row.app, row.appPlace));
    if (row.frame && (row.frame !== row.app || row.place !== row.appPlace)) {
      lines.push(frameLine('in', row.frame, row.place));
    }
    if (!row.frame) lines.push(element('div', {class: 'at'}, '(no Java frame)'));
    lines.push(...row.holders.map(heldBy));
    const more = row.holdersCount - row.holders.length;
    if (more > 0) lines.push(element('div', {class: 'at'}, `and by ${grouped(more)} more`));
    return lines;
  };
  const holderCell = (row) => {
    const lines = [row.thread || '(no name)'];
    if (row.app) lines.push(frameLine('in', row.app, row.appPlace));
    lines.push(element('div', {class: 'at'}, 'had ', typeOf(row)));
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
      rows: source.places.map(
          ([kind, type, frame, place, app, appPlace, ns, count, holders, holdersCount]) =>
              ({kind, type, frame, place, app, appPlace, ns, count, holders, holdersCount})),
      columns:
          [...columns, kindColumn, {title: 'class, first frame outside the JDK', cell: placeCell}],
      total: source.places_count,
    },
    {
      id: 'holders',
      title: 'Who had the lock when a thread began to wait for it',
      rows: source.holders.map(
          ([type, thread, app, appPlace, ns, count]) => ({type, thread, app, appPlace, ns, count})),
      columns: [...columns, {title: 'thread, where it was, what it had', cell: holderCell}],
      total: source.holders_count,
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
    span: () => [data.incomplete, summary.monitor === 'off' && 'No longer timed.']
        .filter(Boolean).join(' '),
  },
};
const totalsAt = (node) =>
    Object.fromEntries(kind.measures.map(({key}) => [key, totals[key][node]]));
const inWords = (figures) => kind.measures.map(({key, words}) => words(figures[key])).join(' in ');
