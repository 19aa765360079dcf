// How the browser plays the net of the multi-stealing model: the rules of lab/models, on matrices. The page's test
// compares the two marking by marking.
net => {
  const cores = net.places.filter(place => place.name.startsWith('List ')).length;
  const initial = name => net.places.find(place => place.name === name).initial;
  const A = JSON.parse(initial('A')), B = JSON.parse(initial('B')), C = JSON.parse(initial('C'));

  const status = ([, , sr, er, , sc, ec]) => {
    if (sr === er) return sc === ec ? 1 : ec === sc + 1 ? 2 : ec >> 1 < sc ? 3 : 4;
    return er === sr + 1 ? 5 : er >> 1 < sr ? 6 : 7;
  };
  const cut = (which, first, last) => which === 2 || which === 5 ? first : which === 3 || which === 6 ? first + last >> 1 : last >> 1;
  const halves = thread => {
    const [id, , sr, er, n, sc, ec] = thread, which = status(thread);
    if (which < 5) {
      const middle = cut(which, sc, ec);
      return [[2 * id, id, sr, er, n, sc, middle], [2 * id + 1, id, sr, er, n, middle + 1, ec]];
    }
    const middle = cut(which, sr, er);
    return [[2 * id, id, sr, middle, n, sc, ec], [2 * id + 1, id, middle + 1, er, n, sc, ec]];
  };
  const divide = thread => {
    const which = status(thread);
    if (which === 1) return { threads: [], leaves: [[thread[2], thread[4], thread[5]]] };
    const parts = halves(thread);
    const further = which !== 2 && which !== 5 && parts.every(part => status(part) !== 1);
    return { threads: further ? parts.flatMap(halves) : parts, leaves: [] };
  };

  const needsBalance = lists => lists.some(list => list.length === 0) && lists.some(list => list.length > 1);
  const balance = lists => {
    const total = lists.reduce((sum, list) => sum + list.length, 0);
    const base = Math.max(1, Math.floor(total / cores));
    let extra = Math.max(0, total - cores * base), collected = [];
    const kept = lists.map(list => {
      const above = Math.max(0, list.length - base);
      collected = [...list.slice(0, above), ...collected];
      return list.slice(above);
    });
    return kept.map(list => {
      const lacking = Math.min(Math.max(0, base - list.length), collected.length);
      let filled = [...collected.slice(0, lacking), ...list];
      collected = collected.slice(lacking);
      if (extra > 0 && collected.length) {
        filled = [collected[collected.length - 1], ...filled];
        collected = collected.slice(0, -1);
        --extra;
      }
      return filled;
    });
  };

  const kinds = net.transitions.map(({ name }) => {
    const core = /^Core(\d+)\.(LTS|Multiplier)$/.exec(name);
    return core ? { kind: core[2], core: Number(core[1]) - 1 } : { kind: 'MSS' };
  });
  const mayFire = (state, { kind, core }) => {
    const unbalanced = needsBalance(state.lists);
    if (kind === 'MSS') return unbalanced;
    return !unbalanced && (kind === 'LTS' ? state.lists[core].length > 0 : state.leaves.length > 0);
  };
  const fire = (state, { kind, core }) => {
    if (kind === 'MSS') return { ...state, lists: balance(state.lists) };
    if (kind === 'LTS') {
      const { threads, leaves } = divide(state.lists[core][0]);
      const lists = state.lists.map((list, index) => index === core ? [...threads, ...list.slice(1)] : list);
      return { ...state, lists, leaves: [...state.leaves, ...leaves] };
    }
    const [row, n, column] = state.leaves[0];
    let sum = 0;
    for (let k = 0; k !== n; ++k) sum += A[row - 1][k] * B[k][column - 1];
    const result = state.result.map((line, r) => r === row - 1 ? line.map((value, c) => c === column - 1 ? sum : value) : line);
    return { ...state, leaves: state.leaves.slice(1), result };
  };

  const threadText = ([id, father, ...rest]) => `(T${id},T${father},${rest.join(',')})`;
  const textOf = (state, name) => {
    const list = /^List (\d+)$/.exec(name);
    if (list) return `[${state.lists[list[1] - 1].map(threadText).join(',')}]`;
    if (name === 'GuardsValue') return JSON.stringify(state.lists.map(each => each.length));
    if (name === 'LeafLevel') return `[${state.leaves.map(leaf => `(${leaf.join(',')})`).join(',')}]`;
    return JSON.stringify(name === 'A' ? A : name === 'B' ? B : state.result);
  };

  const root = [1, 0, 1, A.length, B.length, 1, B[0].length];
  return {
    start: { lists: Array.from({ length: cores }, (_, core) => core === 0 ? [root] : []), leaves: [], result: C },
    enabled: state => kinds.flatMap((kind, transition) => mayFire(state, kind) ? [{ transition, values: '' }] : []),
    fire: (state, choice) => fire(state, kinds[choice.transition]),
    texts: state => net.places.map(place => textOf(state, place.name)),
    counts: () => net.places.map(() => 1),
    tables: state => [{ name: 'C', rows: state.result }],
  };
}
