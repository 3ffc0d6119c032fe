import { describe, expect, it } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { keyOf, letterRun, targets, WordMap } from './word-map.ts';

const text = 'The quick brown fox of 1999 jumps over THE lazy dog; the fox is (still) quick.';

describe.each(targets)('$name', (target) => {
  const map = new WordMap(target, ['dog']);
  const translated = map.translate([text]).join('');

  it('has another word for each word, which names its source', () => {
    const words = target.hasSpaces
      ? translated.match(letterRun)!
      : translated.match(new RegExp(`[${target.first.join('')}][${target.next[0]!.join('')}]+`, 'gu'))!;
    expect(words.map((word) => map.sourceOf(word))).toEqual(text.match(letterRun)!.map(keyOf));
  });

  it('keeps digits and punctuation', () => {
    expect(translated).toContain('1999');
    expect(translated).toMatch(/\(\p{L}[\p{L}\p{M}]+\)/u);
  });
});

describe('a word map', () => {
  it('uses no word of the file', () => {
    const first = new WordMap(targets[0]!, []).translate(['word']).join('');
    expect(new WordMap(targets[0]!, [first]).translate(['word'])).not.toEqual([first]);
  });

  it('keeps all tags, and a word around tags is one word', () => {
    const map = new WordMap(targets[0]!, []);
    const bold = { tag: 1, type: 'open' } as const;
    const end = { tag: 1, type: 'close' } as const;
    const source: InlineContent = [bold, 'T', end, 'itle and ', { tag: 2, type: 'void', text: '\n' }, 'more'];
    const result = map.translate(source);
    expect(result.filter((item) => typeof item !== 'string')).toEqual(
      source.filter((item) => typeof item !== 'string'),
    );
    const words = result.map((item) =>
      typeof item === 'string' ? item : ((item as { text?: string }).text ?? ''),
    );
    expect(
      words
        .join('')
        .match(letterRun)!
        .map((word) => map.sourceOf(word)),
    ).toEqual(['Title', 'and', 'more']);
  });
});
