import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TmxUnit, tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { readAll } from './tmx-units.ts';

const languages = { sourceLang: 'en', targetLang: 'fr' };
const head = tmxHead({ ...languages, creationDate: new Date('2026-03-01T10:20:30.456Z'), version: '2.1' });
const unit = (values: Partial<TmxUnit>): TmxUnit => ({
  ...languages,
  source: 'a',
  target: 'b',
  tuid: null,
  changedate: null,
  ...values,
});
const fileOf = (...units: TmxUnit[]): string => `${head}${units.map(tmxUnit).join('')}${tmxTail}`;

/** Whether XML 1.0 allows this character, according to its production Char. */
function isChar(character: string): boolean {
  const point = character.codePointAt(0)!;
  return (
    [9, 10, 13].includes(point) ||
    (point >= 0x20 && point <= 0xd7ff) ||
    (point >= 0xe000 && point <= 0xfffd) ||
    point >= 0x10000
  );
}

describe('an exported TMX file (B 4.5 "Exported TMX shape")', () => {
  it('is TMX 1.4b', () => {
    const file = fileOf(
      unit({ tuid: 't1', changedate: '2024-01-31T09:30:00Z', creationDate: new Date(0) }),
      unit({ source: 'c', target: 'd' }),
    );
    expect(file).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="LinguaLoop" creationtoolversion="2.1" datatype="plaintext" segtype="sentence" adminlang="en" srclang="en" o-tmf="LinguaLoop" creationdate="20260301T102030Z"/>
<body>
<tu tuid="t1" creationdate="19700101T000000Z" changedate="20240131T093000Z">
<tuv xml:lang="en"><seg>a</seg></tuv>
<tuv xml:lang="fr"><seg>b</seg></tuv>
</tu>
<tu>
<tuv xml:lang="en"><seg>c</seg></tuv>
<tuv xml:lang="fr"><seg>d</seg></tuv>
</tu>
</body>
</tmx>
`);
  });

  it('languages are as they were declared, whatever they are', () => {
    const file = fileOf(unit({ sourceLang: 'en"><x a="&', targetLang: 'fr' }));
    const read = readAll(file, {
      sourceTag: 'en"><x a="&',
      targetTag: 'fr',
      isSource: () => false,
      isTarget: () => false,
    });
    expect(read.pairs).toHaveLength(1);
  });

  it('an invalid changedate is left out', () => {
    expect(tmxUnit(unit({ changedate: '"><x/>' }))).not.toContain('changedate');
  });
});

describe('a written file reads back the same', () => {
  const text = fc
    .string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom(...'<>&"\'\r\n\t ;]'),
      ),
    })
    .map((written) => [...written].filter(isChar).join(''));
  const visible = text.filter((written) => /[^\s\p{White_Space}]/u.test(written));
  const moment = fc
    .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
    .map((date) => `${date.toISOString().slice(0, 19)}Z`);
  const written = fc.record({
    source: visible,
    target: visible,
    tuid: fc.oneof(visible, fc.constant(null)),
    changedate: fc.oneof(moment, fc.constant(null)),
  });

  it('text with its whitespace, tuid, changedate, in order', () => {
    fc.assert(
      fc.property(fc.array(written), (units) => {
        const { summary, pairs } = readAll(fileOf(...units.map((values) => unit(values))));
        expect(summary).toEqual({ units: units.length, skipped: 0 });
        expect(
          pairs.map(({ source, target, tuid, changedate }) => ({ source, target, tuid, changedate })),
        ).toEqual(units);
      }),
    );
  });

  it('any text makes a readable file, and loses only what XML cannot carry', () => {
    const anything = fc.string({ unit: 'binary' }).map((prefix) => `.${prefix}\ud800`);
    fc.assert(
      fc.property(anything, anything, (source, target) => {
        const carried = (wild: string): string => [...wild].filter(isChar).join('');
        const { pairs } = readAll(fileOf(unit({ source, target, tuid: source })));
        expect(pairs).toMatchObject([
          { source: carried(source), target: carried(target), tuid: carried(source) },
        ]);
      }),
    );
  });
});
