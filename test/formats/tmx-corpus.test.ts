import { describe, expect, it } from 'vitest';
import type { TmxPair } from '#server/formats/tmx/reader.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { declared, readAll } from './tmx-units.ts';

/** The units that expat reads from a file for one language pair. */
interface Independent {
  sourceTag: string;
  targetTag: string;
  units: number;
  pairs: TmxPair[];
}

const independent = corpusNames('tmx').filter((name) => name.endsWith('.json'));

function readIndependent(name: string): Independent {
  return JSON.parse(Buffer.from(corpusFile(`tmx/${name}`)).toString());
}

describe('files of the corpus', () => {
  it.each(independent)('%s: the units that expat reads', (name) => {
    const { sourceTag, targetTag, units, pairs } = readIndependent(name);
    const read = readAll(corpusFile(`tmx/${name.replace('.json', '.tmx')}`), declared(sourceTag, targetTag));
    expect(read.pairs.map(({ context: _, ...pair }) => pair)).toEqual(pairs);
    expect(read.summary).toEqual({ units, skipped: units - pairs.length });
  });
});
