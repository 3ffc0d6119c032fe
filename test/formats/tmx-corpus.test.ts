import { describe, expect, it } from 'vitest';
import type { TmxPair } from '#server/formats/tmx/reader.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { declared, readAll } from './tmx-units.ts';

/** What expat reads in a file for one language pair. */
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
    expect(read.pairs).toEqual(pairs);
    expect(read.summary).toEqual({ units, skipped: units - pairs.length });
  });

  it.each([
    ['zh-Hans', ['zh1']],
    ['zh-Hant', ['zh2', 'zh3']],
    ['pt-BR', ['pt1']],
    ['fr-CA', ['fr1']],
  ])('made-language-codes.tmx: %s is in the units %j', (target, tuids) => {
    const { summary, pairs } = readAll(corpusFile('tmx/made-language-codes.tmx'), declared('en', target));
    expect(pairs.map(({ tuid }) => tuid)).toEqual(tuids);
    expect(summary).toEqual({ units: 10, skipped: 10 - tuids.length });
  });

  it('bare-zh-pt.tmx: the bare base is the declared variant', () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    const textOf = (target: string) => readAll(file, declared('en', target)).pairs.map((pair) => pair.target);
    expect(['zh-Hans', 'zh-Hant', 'pt-PT', 'fr'].map(textOf)).toEqual([['你好'], ['你好'], ['Obrigado'], []]);
  });

  it.each([
    ['xxe.tmx', 'forbidden', 2],
    ['deeply-nested.tmx', 'too_deep', 5],
  ])('%s: refused as %s on line %i', (name, reason, line) => {
    expect(() => readAll(corpusFile(`tmx-bad/${name}`))).toThrow(
      expect.objectContaining({
        name: 'XmlFileError',
        reason,
        line,
        message: expect.stringMatching(`^line ${line}: `),
      }),
    );
  });
});

describe('tuid and changedate survive an import and export round trip (B 4.5)', () => {
  it.each(independent)('%s: exported and read again, the same set', (name) => {
    const { sourceTag, targetTag, pairs } = readIndependent(name);
    const languages = { sourceLang: sourceTag, targetLang: targetTag };
    const file = [
      tmxHead({ ...languages, creationDate: new Date() }),
      ...pairs.map((pair) => tmxUnit({ ...pair, ...languages })),
      tmxTail,
    ].join('');
    const read = readAll(file, declared(sourceTag, targetTag));
    expect(read.pairs.map(({ line, ...pair }) => pair)).toEqual(
      pairs.map(({ line, ...pair }) => ({ ...pair, sourceTag, targetTag })),
    );
  });
});
