import type { TermTables } from '#server/matching/terms/index.ts';

type Table = Int32Array | Uint16Array | Uint8Array;

/**
 * Copies the arrays of the tables into shared memory, so that they are not copied again when they are sent to a thread.
 */
export function shared(tables: TermTables): TermTables {
  return mapTables(tables, (table) => {
    const Copy = table.constructor as new (memory: SharedArrayBuffer) => typeof table;
    const copy = new Copy(new SharedArrayBuffer(table.byteLength));
    copy.set(table);
    return copy;
  });
}

/** Returns the bytes of the arrays in the tables and of their lists of whole terms. */
export function bytesOfTables(tables: TermTables): number {
  let bytes = 0;
  mapTables(tables, (table) => {
    bytes += table.byteLength;
    return table;
  });
  const { cased, uncased } = tables.whole;
  for (const [normal, places] of [...cased, ...uncased]) bytes += 100 + 2 * normal.length + 8 * places.length;
  return bytes;
}

function mapTables(tables: TermTables, map: <T extends Table>(table: T) => T): TermTables {
  const { patterns, ranks, winners, winnerEnds, whole } = tables;
  return {
    patterns: {
      groups: patterns.groups.map(({ cased, numbers, automaton }) => {
        const { edges, first, fail, suffix, terminal } = automaton;
        const { parents, children, units, shift } = edges;
        return {
          cased,
          numbers: map(numbers),
          automaton: {
            edges: { parents: map(parents), children: map(children), units: map(units), shift },
            first: map(first),
            fail: map(fail),
            suffix: map(suffix),
            terminal: map(terminal),
          },
        };
      }),
      lengths: map(patterns.lengths),
      capitalsOnly: map(patterns.capitalsOnly),
    },
    ranks: map(ranks),
    winners: map(winners),
    winnerEnds: map(winnerEnds),
    whole,
  };
}
