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
