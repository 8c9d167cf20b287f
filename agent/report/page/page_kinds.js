// What there is to say of times, samples and locks, and of each kind of figures its measures,
// words, tables and cards.

// ---- time --------------------------------------------------------------------------------

// "(ILjava/lang/String;[J)V" -> "(int, String, long[])", to tell overloads apart.
function parameters(signature) {
  const basic = {
    B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean',
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
// Of each method what it took itself and with all it called, out of the tree: a method that calls
// itself counts once.
function methodRows(chosen) {
  const own = figuresShown(), rows = new Map(), last = new Int32Array(kClasses).fill(-1);
  const key = kind.measures[0].key;
  const rowOf = (method) => {
    if (!rows.has(method)) rows.set(method, {name: textOf(method), ns: 0, count: 0, total: 0});
    return rows.get(method);
  };
  for (const end of base.ends) {
    if (chosen && !chosen[end]) continue;
    for (let node = end; node > 0; node = base.parent[node]) {
      const method = base.name[node];
      if (method >= kClasses || origins[method] === kNowhere) continue;
      const row = rowOf(method);
      if (node === end) {
        for (const figure of base.keys) row[figure] += own[figure][end];
      }
      if (last[method] === end) continue;
      last[method] = end;
      row.total += own[key][end];
    }
  }
  return [...rows.values()];
}
function timesTabs() {
  const all = asRows(
      source.methods, 'name', 'signature', 'count', 'exceptions', 'total', 'ns', 'cpu');
  const seen = new Map();
  for (const {name} of all) seen.set(name, (seen.get(name) || 0) + 1);
  const cell = (row) => {
    const more = [
      row.signature && seen.get(row.name) > 1 ? parameters(row.signature) : '',
      row.exceptions ? `${grouped(row.exceptions)} ended by an exception` : '',
    ];
    return methodCell(row.name, more.filter(Boolean).join(' '));
  };
  const classes = (rows) => {
    const byClass = new Map();
    for (const row of rows) {
      const type = row.name.slice(0, row.name.lastIndexOf('.'));
      const sum = byClass.get(type) || {type, ns: 0, count: 0};
      byClass.set(type, {type, ns: sum.ns + row.ns, count: sum.count + row.count});
    }
    return [...byClass.values()];
  };
  const share = (rows) => shareColumn(sumOf(rows, state.by));
  const self = nsColumn('ns', 'self'), calls = figureColumn('count', 'calls', grouped);
  const perCall = (title, key) => ({
    title, key: `${key}each`, number: true, size: (row) => row[key] / row.count,
    cell: (row) => humanNs(Math.round(row[key] / row.count))
  });
  const cpu = {
    title: 'CPU of total',
    number: true,
    cell: (row) => percent(row.cpu, row.total),
    tip: (row) => humanNs(row.cpu),
  };
  // Of all of it the report's own figures, which tell more; of a part what the tree has.
  const rowsOf = (chosen) => (chosen ? methodRows(chosen) : all);
  return [
    tab('methods', 'Method', 'Methods', (chosen) => {
      const rows = rowsOf(chosen);
      return {
        rows,
        columns: [share(rows), self, nsColumn('total', 'total'), calls,
                  {title: 'method', key: 'name', cell}],
        total: chosen ? rows.length : source.methods_count,
      };
    }),
    tab('percall', 'A call', 'Time a call', (chosen) => ({
      rows: rowsOf(chosen).filter((row) => row.count > 0),
      columns: [
        perCall('total a call', 'total'), perCall('self a call', 'ns'),
        ...(!chosen && all.some((row) => row.cpu > 0) ? [cpu] : []), calls,
        {title: 'method', cell}
      ],
      sort: 'totaleach',
    })),
    tab('classes', 'Class', 'By class', tableOf(
        (chosen) => classes(methodRows(chosen)),
        (rows) => [share(rows), self, calls,
                   {title: 'class', key: 'type', cell: (row) => breakable(row.type)}])),
  ];
}
function timesCards() {
  const exceptions = source.methods.reduce((sum, row) => sum + row[3], 0);
  return [
    card('Timed', humanNs(source.ns), 'in timed methods, all threads together'),
    card('Calls', grouped(source.count), `of ${many(source.methods_count, 'method')}` +
        (exceptions ? `; ${grouped(exceptions)} ended by an exception` : '')),
  ];
}

// All threads were sampled, and not those alone that ran.
const ofWall = summary.sampler && summary.sampler.clock === 'wall';
function samplesTabs() {
  const share = (rows) => shareColumn(sumOf(rows, 'count'));
  const self = figureColumn('count', 'self', grouped);
  const count = figureColumn('count', 'count', grouped);
  return [
    tab('methods', 'Method', 'Methods', tableOf(
        methodRows,
        (rows) => [share(rows), self, figureColumn('total', 'total', grouped),
                   {title: 'method', key: 'name', cell: (row) => methodCell(row.name)}])),
    tab('outside', 'App', 'By the first frame outside the JDK', tableOf(
        (chosen) => rowsBy(
            chosen, appFrame,
            (end) => ({name: methodName(appFrame(end)), place: framePlace(appFrame(end))})),
        (rows) => [share(rows), count, {
          title: 'method', key: 'name',
          cell: (row) => (row.name ? methodCell(row.name, row.place) : '(no Java frame)'),
        }])),
    tab('threads', 'Thread', 'By thread', tableOf(
        threadRows,
        (rows) => [share(rows), count, {title: 'thread', key: 'name', cell: (row) => row.name}])),
  ];
}
function samplesCards() {
  const {sampler} = summary;
  if (!sampler) return [card('Samples', grouped(source.count), '')];
  const failed = Object.values(sampler.failed).reduce((sum, count) => sum + count, 0);
  return [
    card('Samples', grouped(source.count),
         `some ${humanNs(source.count * sampler.asked_ns)} of ${
             ofWall ? 'all threads, waiting or not' : 'CPU'}, one for each ${
             humanNs(sampler.asked_ns)} of a thread`),
    card('Looked', `${grouped(sampler.looks)} times`,
         `in ${humanNs(sampler.on_ns)}, every ${humanNs(sampler.mean_ns)} on average; ${
             many(sampler.stacks, 'stack')} taken, each of a thread's ${
             ofWall ? 'time' : 'CPU'} since its last`),
    card('Cost', percent(sampler.own_ns + sampler.others_ns, sampler.on_ns),
         `of one CPU; the budget is ${sampler.budget}%`),
    card('Without a sample', humanNs(sampler.missed_ns),
         `of ${ofWall ? 'time, of threads that were not met' : 'CPU, of threads that were not met running'}` +
             (failed ? `; ${many(failed, 'stack')} could not be had` : '')),
  ];
}

const kWaiting = {
  enter: 'to enter a synchronized block or method',
  park: 'in LockSupport.park(), as the locks and queues of java.util.concurrent do',
  wait: 'in Object.wait()',
  pin: 'the same, a virtual thread that kept its carrier; its time is in park, too',
};
function locksTabs() {
  const columns = [
    shareColumn(source[state.by]), nsColumn('ns', 'time'),
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
  const typeAt = (end) => (isClassCode(base.name[end]) ? textOf(base.name[end]) : '');
  // Of a part what the tree has: no pins, and not who had the lock.
  const part = (chosen, byPlace) => rowsBy(
      chosen,
      (end) => `${outermost(end)} ${classOf(end)} ${
          byPlace ? `${innermostFrame(end)} ${appFrame(end)}` : ''}`,
      (end) => ({
        kind: textOf(outermost(end)), type: typeAt(end), frame: methodName(innermostFrame(end)),
        place: framePlace(innermostFrame(end)), app: methodName(appFrame(end)),
        appPlace: framePlace(appFrame(end)), holders: [], holdersCount: 0,
      }));
  return [
    tab('types', 'Class', 'By class and kind', (chosen) => ({
      rows: chosen ? part(chosen, false) : asRows(source.types, 'kind', 'type', 'ns', 'count'),
      columns: [...columns, kindColumn, {title: 'class', key: 'type', cell: typeOf}],
      ...(chosen ? {} : {total: source.types_count}),
    })),
    tab('places', 'Place', 'By place', (chosen) => ({
      rows: chosen ?
          part(chosen, true) :
          asRows(
              source.places, 'kind', 'type', 'frame', 'place', 'app', 'appPlace', 'ns', 'count',
              'holders', 'holdersCount'),
      columns:
          [...columns, kindColumn, {title: 'class, first frame outside the JDK', cell: placeCell}],
      ...(chosen ? {} : {total: source.places_count}),
    })),
    {
      id: 'holders', short: 'Holder',
      title: 'Who had the lock when a thread began to wait for it', whole: true,
      make: () => ({
        rows: asRows(source.holders, 'type', 'thread', 'app', 'appPlace', 'ns', 'count'),
        columns: [...columns, {title: 'thread, where it was, what it had', cell: holderCell}],
        total: source.holders_count,
      }),
    },
  ];
}
function locksCards() {
  const sums = new Map();
  for (const [kind, , ns, count] of source.types) {
    const sum = sums.get(kind) || {ns: 0, count: 0};
    sums.set(kind, {ns: sum.ns + ns, count: sum.count + count});
  }
  return Object.keys(kWaiting)
      .filter((name) => sums.has(name))
      .map((name) => card(
          name[0].toUpperCase() + name.slice(1), humanNs(sums.get(name).ns),
          `${many(sums.get(name).count, 'time')} ${kWaiting[name]}`));
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
// What is alive are objects.
const oneShown = () => (state.of === 'live' ? 'object' : oneOf);
const shownMeasure = {
  ...countMeasure('Count', oneOf),
  get all() {
    return `${oneShown()}s`;
  },
  words: (n) => many(n, oneShown()),
  exact: (n) => many(n, oneShown()),
};
const nsMeasure = (all) => ({
  key: 'ns',
  title: 'Time',
  all,
  words: humanNs,
  exact: (n) => (n < 1000 ? humanNs(n) : `${humanNs(n)} (${grouped(n)} ns)`),
});
// leaf: what the innermost bar is, where it is no method. hint, callers: how to read the graph. Where
// a difference is something else: sort, colour, label (behind a bar's name), whole, part, tip, said
// (figures in words), legend.
const kinds = {
  allocations: {
    title: ofMalloc ? 'Native memory of' : 'Allocations of',
    measures: [bytesMeasure, shownMeasure],
    leaf: ofMalloc ? 'blocks of malloc' : 'allocated class',
    hint: `A bar is as wide as what was allocated in it and in all it called${ofMalloc ? ', and is not freed' : ''}.`,
    callers: 'What was allocated, by whom, called by whom.',
    more: 'a .txt or .jsonl report has more',
    tabs: allocationTabs,
    columns: allocationColumns,
    cards: allocationCards,
    span: allocationSpan,
  },
  changes: {
    title: ofMalloc ? 'Changes of native memory in' : 'Changes of allocations in',
    measures: [bytesMeasure, countMeasure('Count', oneOf)],
    leaf: ofMalloc ? 'blocks of malloc' : 'allocated class',
    hint: 'A bar is as wide as the larger of before and after, stack by stack (which are told apart ' +
        'by line); red grew, blue shrank.',
    callers: 'What was allocated, by whom, called by whom.',
    more: 'compare .jsonl reports for more',
    tabs: allocationTabs,
    columns: changesColumns,
    cards: changesCards,
    span: () => data.words || '',
    sort: () => `${state.by}Change`,
    colour: changeColour,
    label: (node) => changeWords(state.by, changeAt(node)),
    part: changesPart,
    whole: () => changeWords(state.by, changeAt(0)),
    tip: changesTip,
    said: changeSaid,
    legend: changesLegend,
  },
  times: {
    title: 'Method times of',
    measures: [nsMeasure('time'), countMeasure('Calls', 'call')],
    hint: 'A bar is as wide as the time from its entry to its end, all threads together.',
    callers: 'What took the time itself, called by whom.',
    more: 'reports in other formats have more',
    tabs: timesTabs,
    cards: timesCards,
    span: () => data.incomplete || '',
  },
  samples: {
    title: ofWall ? 'Wall-clock samples of' : 'CPU samples of',
    measures: [countMeasure('Samples', 'sample')],
    hint: ofWall ? 'A bar is as wide as the time that threads were in it, waiting or not.' :
                   'A bar is as wide as the CPU used in it and in all it called.',
    callers: ofWall ? 'Where threads were, called by whom.' : 'What used the CPU itself, called by whom.',
    more: 'reports in other formats have more',
    tabs: samplesTabs,
    cards: samplesCards,
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
    tabs: locksTabs,
    cards: locksCards,
    span: () => [data.incomplete, summary.monitor === 'off' && 'No longer timed.']
        .filter(Boolean).join(' '),
  },
};
