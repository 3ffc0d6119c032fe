import { expect, test } from 'vitest';
import { type FileTexts, hashTexts, keepTexts } from '#server/formats/existing-target.ts';
import { alignLists } from '#server/formats/messages/align-lists.ts';

test('long lists of repeated items are paired in limited time', () => {
  const long = Array.from({ length: 30_000 }, (_, at) => String(at % 7));
  const found = alignLists(long, ['x', ...long.slice(1), '3']);
  expect(found.filter((at) => at !== null).length).toBeGreaterThan(29_000);
  const nested = Array.from({ length: 60_000 }, (_, at) => String(at >> 1));
  expect(alignLists(nested, nested.toReversed())).toHaveLength(60_000);
});

const textsOf = (texts: Record<string, string>): FileTexts => ({
  all: Object.entries(texts).map(([name, text]) => ({
    place: name,
    source: text,
    names: [name],
    own: [{ name, text }],
  })),
});

test('of several renamed texts with the same source, the edited one stays', () => {
  const before = textsOf({ a: 'Open', b: 'Open', c: 'Open' });
  const written = hashTexts(before, textsOf({ a: 'Auf', b: 'Auf', c: 'Auf' }));
  const { kept } = keepTexts({
    source: textsOf({ new: 'Open' }),
    target: textsOf({ a: 'Auf', b: 'Öffnen', c: '' }),
    written,
    corrected: null,
  });
  expect(kept.get('new')?.text).toBe('Öffnen');
});

test.each([
  [
    ['T', 'Yes', 'Yes', 'End'],
    ['T', 'Edit', 'Yes', 'Other'],
    [0, 1, 2, 3],
  ],
  [
    ['Yes', 'Yes', 'No', 'Yes', 'Import'],
    ['Yes', 'Edit', 'No', 'Yes', 'Edit'],
    [0, 1, 2, 3, 4],
  ],
  [
    ['X', 'Y', 'X', 'Y', 'X'],
    ['Y', 'X', 'Y', 'X'],
    [1, 2, 3, 4],
  ],
  [
    ['a', 'b'],
    ['b', 'a', 'b'],
    [null, 0, 1],
  ],
])('%j and %j are paired as %j', (before, after, pairs) => {
  expect(alignLists(before, after)).toEqual(pairs);
});

const ordered = (...texts: string[]): FileTexts => ({
  isOrdered: true,
  all: texts.map((text, at) => ({
    place: `line ${at + 1}`,
    source: text,
    names: [String(at + 1)],
    own: [{ name: String(at + 1), text }],
  })),
});

test('corrections count although a reviewer has emptied one of the texts', () => {
  const source = ordered('One', 'Two', 'Three', 'Four');
  const target = ordered('Un', 'Deux', 'Trois', 'Quatre');
  const corrected = ordered('Premier', 'Deux', 'Quatre');
  const { kept } = keepTexts({ source, target, written: hashTexts(source, target), corrected });
  expect([...kept.values()].map(({ text }) => text)).toEqual(['Premier', 'Deux', 'Trois', 'Quatre']);
});

test('a text that is missing in a format without keys is named, and so is a fuzzy edit that is replaced', () => {
  const written = hashTexts(ordered('One', 'Two', 'Three'), ordered('Un', 'Deux', 'Trois'));
  const source = ordered('One', 'Two', 'Three');
  expect(keepTexts({ source, target: ordered('Un', 'Trois'), written, corrected: null }).replaced).toEqual([
    'line 2',
  ]);
  const before = textsOf({ a: 'Open' });
  const target = textsOf({ a: 'Ouvrir' });
  const draft = { all: target.all.map((one) => ({ ...one, own: [{ ...one.own[0]!, isDraft: true }] })) };
  const { kept, replaced } = keepTexts({
    source: textsOf({ a: 'Open it' }),
    target: draft,
    written: hashTexts(before, textsOf({ a: 'machine' })),
    corrected: null,
  });
  expect([kept.size, replaced]).toEqual([0, ['a']]);
});
