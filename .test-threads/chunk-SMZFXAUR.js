import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/graph/adjacency.ts
var reversed = /* @__PURE__ */ new WeakMap();
var undirected = /* @__PURE__ */ new WeakMap();
function nodeCountOf(adjacency) {
  return adjacency.offsets.length - 1;
}
function neighborCountOf({ offsets }, node) {
  return offsets[node + 1] - offsets[node];
}
function reverseOf(adjacency) {
  return cachedIn(reversed, adjacency, () => {
    const { sources, targets, counts } = columnsOf(adjacency);
    return createAdjacency(nodeCountOf(adjacency), { sources: targets, targets: sources, counts });
  });
}
function undirectedOf(adjacency) {
  return cachedIn(undirected, adjacency, () => {
    const { sources, targets, counts } = columnsOf(adjacency);
    return createAdjacency(nodeCountOf(adjacency), {
      sources: concatenated(sources, targets),
      targets: concatenated(targets, sources),
      counts: concatenated(counts, counts)
    });
  });
}
function createAdjacency(size, edges) {
  const byTarget = orderedBy(edges.targets, everyIndex(edges.targets.length), size);
  return mergedRows(size, edges, orderedBy(edges.sources, byTarget, size));
}
function mergedRows(size, { sources, targets, counts }, order) {
  const offsets = new Int32Array(size + 1);
  const mergedTargets = new Int32Array(order.length);
  const mergedCounts = new Int32Array(order.length);
  let last = -1;
  let lastSource = -1;
  for (let i = 0; i < order.length; i++) {
    const edge = order[i];
    const source = sources[edge];
    const target = targets[edge];
    if (source !== lastSource || target !== mergedTargets[last]) {
      mergedTargets[++last] = target;
      lastSource = source;
      offsets[source + 1] = offsets[source + 1] + 1;
    }
    mergedCounts[last] = mergedCounts[last] + counts[edge];
  }
  toPrefixSums(offsets);
  return { offsets, targets: mergedTargets.slice(0, last + 1), counts: mergedCounts.slice(0, last + 1) };
}
function orderedBy(keys, order, size) {
  const next = new Int32Array(size + 1);
  for (let i = 0; i < keys.length; i++) {
    const slot = keys[i] + 1;
    next[slot] = next[slot] + 1;
  }
  toPrefixSums(next);
  const result = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const item = order[i];
    const key = keys[item];
    const place = next[key];
    result[place] = item;
    next[key] = place + 1;
  }
  return result;
}
function columnsOf(adjacency) {
  const { offsets, targets, counts } = adjacency;
  const sources = new Int32Array(targets.length);
  for (let node = 0; node < nodeCountOf(adjacency); node++) {
    sources.fill(node, offsets[node], offsets[node + 1]);
  }
  return { sources, targets, counts };
}
function cachedIn(cache, key, create) {
  const known = cache.get(key);
  if (known !== void 0) return known;
  const created = create();
  cache.set(key, created);
  return created;
}
function toPrefixSums(amounts) {
  for (let i = 1; i < amounts.length; i++) amounts[i] = amounts[i] + amounts[i - 1];
}
function everyIndex(length) {
  const indexes = new Int32Array(length);
  for (let i = 0; i < length; i++) indexes[i] = i;
  return indexes;
}
function concatenated(first, second) {
  const both = new Int32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
function outDegrees(adjacency) {
  const degrees = new Int32Array(nodeCountOf(adjacency));
  for (let node = 0; node < degrees.length; node++) {
    degrees[node] = neighborCountOf(adjacency, node);
  }
  return degrees;
}

// src/graph/seeded-random.ts
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 2654435769 >>> 0;
    let mixed = Math.imul(state ^ state >>> 16, 569420461);
    mixed = Math.imul(mixed ^ mixed >>> 15, 1935289751);
    return ((mixed ^ mixed >>> 15) >>> 0) / 2 ** 32;
  };
}
function sampleOf(items, count, random) {
  const pool = [...items];
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (pool.length - i));
    [pool[i], pool[other]] = [pool[other], pool[i]];
  }
  return pool.slice(0, count);
}

export {
  nodeCountOf,
  reverseOf,
  undirectedOf,
  outDegrees,
  createRandom,
  sampleOf
};
