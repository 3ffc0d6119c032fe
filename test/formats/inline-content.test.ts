import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatTagged,
  type InlineContent,
  type InlineTag,
  joinStrings,
  memoryText,
  parseTagged,
  parseWithoutFormats,
  plainText,
  retag,
  unwrap,
} from '#server/formats/inline-content.ts';
import { placeCodes, placeInParts, placeTags } from '#server/formats/tag-placing.ts';

/** Texts that consist of words, tags and breaks. Some of them look like tags themselves. */
const word = fc.constantFrom(...'one zwei 数字 😀 😁 <1> </2> <3/> < > .'.split(' '), ' ', '  ', '\n', '\t');
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));

type Node = string | { text?: string } | { inside: Node[] };
const { nodes } = fc.letrec<{ nodes: Node[]; node: Node }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 5 }),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom<Node>({}, { text: '\n' }, { text: '\t' }),
    tie('nodes').map((inside) => ({ inside: inside as Node[] })),
  ),
}));

/** Inline content in the form that a format creates: well-nested tags, numbered from 1 in reading order. */
const content = nodes.map((tree) => {
  let number = 0;
  const write = (list: Node[]): InlineContent =>
    list.flatMap((node): InlineContent => {
      if (typeof node === 'string') return [node];
      const tag = ++number;
      if ('inside' in node) return [{ tag, type: 'open' }, ...write(node.inside), { tag, type: 'close' }];
      return [{ tag, type: 'void', ...node }];
    });
  return joinStrings(write(tree));
});

const tagsOf = (items: InlineContent) => items.filter((item): item is InlineTag => typeof item !== 'string');
const nameOf = ({ type, tag }: InlineTag) => `${type} ${tag}`;

/** Expects that each tag of the source occurs once and well nested, and that no strings are empty or adjacent. */
function expectSound(result: InlineContent, source: InlineContent): void {
  expect(tagsOf(result).map(nameOf).toSorted()).toEqual(tagsOf(source).map(nameOf).toSorted());
  const open: number[] = [];
  for (const { type, tag } of tagsOf(result)) {
    if (type === 'open') open.push(tag);
    if (type === 'close') expect(open.pop()).toBe(tag);
  }
  expect(open).toEqual([]);
  for (const [index, item] of result.entries()) {
    expect(item).not.toBe('');
    expect(typeof item === 'string' && typeof result[index + 1] === 'string').toBe(false);
  }
}

/** Expects that no surrogate pair is split. */
const expectWholeCharacters = (items: InlineContent) => {
  for (const item of items) if (typeof item === 'string') expect(item.isWellFormed()).toBe(true);
};

/** The strings of the content, without the text for which void tags stand. */
const strings = (items: InlineContent) => items.filter((item) => typeof item === 'string').join('');

describe('parseTagged', () => {
  test('reads back what formatTagged wrote, whatever the text looks like', () => {
    fc.assert(
      fc.property(content, (source) => {
        expect(parseTagged(formatTagged(source), source)).toEqual(source);
      }),
    );
  });

  test('what it accepts is sound, and has the text of the reply', () => {
    fc.assert(
      fc.property(content, fc.array(fc.nat(), { maxLength: 4 }), text, (source, cuts, more) => {
        let reply = formatTagged(source);
        for (const cut of cuts) {
          const at = cut % (reply.length + 1);
          reply = reply.slice(0, at) + more + reply.slice(at + (cut % 3));
        }
        const read = parseTagged(reply, source);
        if (read === null) return;
        expectSound(read, source);
        expect(formatTagged(read).replace(/\d+/g, '')).toBe(reply.replace(/\d+/g, ''));
      }),
    );
  });

  const link: InlineContent = ['See ', { tag: 1, type: 'open' }, 'here', { tag: 1, type: 'close' }, ' now'];
  const two: InlineContent = [
    { tag: 1, type: 'open' },
    'a',
    { tag: 1, type: 'close' },
    { tag: 2, type: 'open' },
    'b',
    { tag: 2, type: 'close' },
    { tag: 3, type: 'void' },
  ];

  test.each([
    ['a tag is missing', 'Voir <1>ici', link],
    ['a tag comes twice', 'Voir <1>ici</1> <1>là</1>', link],
    ['a tag is unknown', 'Voir <1>ici</1><2/>', link],
    ['a pair closes before it opens', 'Voir </1>ici<1>', link],
    ['pairs cross', '<1>x<2>y</1>z</2><3/>', two],
  ])('refuses a reply in which %s', (_what, reply, source) => {
    expect(parseTagged(reply, source)).toBeNull();
  });

  test('takes pairs in another order, inside each other, and empty', () => {
    expect(parseTagged('<3/><2>x<1>y</1></2>', two)).toEqual([
      { tag: 3, type: 'void' },
      { tag: 2, type: 'open' },
      'x',
      { tag: 1, type: 'open' },
      'y',
      { tag: 1, type: 'close' },
      { tag: 2, type: 'close' },
    ]);
    expect(parseTagged('<1></1><2></2><3/>', two)).not.toBeNull();
  });

  test('numbers its tags above those that the text itself has', () => {
    const source: InlineContent = ['press <7> ', { tag: 1, type: 'void' }];
    expect(formatTagged(source)).toBe('press <7> <8/>');
    expect(parseTagged('<8/> taper <7>', source)).toEqual([{ tag: 1, type: 'void' }, ' taper <7>']);
  });
});

test('unwrap and wrap give the content back, and nothing is left around what is inside', () => {
  fc.assert(
    fc.property(content, (source) => {
      const { inner, wrap } = unwrap(source);
      expect(joinStrings(wrap(inner))).toEqual(source);
      expectSound(inner, inner);
      const [first, last] = [inner[0], inner.at(-1)];
      for (const edge of [first, last]) if (typeof edge === 'object') expect(edge.type).not.toBe('void');
      if (typeof first === 'object' && typeof last === 'object') expect(first.tag).not.toBe(last.tag);
    }),
  );
});

describe('placeTags', () => {
  test('keeps the text, and puts every tag of the source into it, at guessed positions in the order of the source', () => {
    fc.assert(
      fc.property(text, content, (translation, source) => {
        const { content: placed, isGuessed } = placeTags(translation, source);
        expectSound(placed, source);
        if (isGuessed) expect(tagsOf(placed)).toEqual(tagsOf(source));
        expectWholeCharacters(placed);
        // The result may contain a void tag instead of the character for which the tag stands.
        const marks = tagsOf(source).map((tag) => tag.text);
        if (!marks.includes('\n') && !marks.includes('\t')) expect(strings(placed)).toBe(translation);
        else expect(plainText(placed).replace(/[\n\t]/g, '')).toBe(translation.replace(/[\n\t]/g, ''));
      }),
    );
  });

  const many = 20_000;
  const pair = (tag: number): InlineContent => [
    { tag, type: 'open', format: 'bold' },
    'ab',
    { tag, type: 'close', format: 'bold' },
  ];
  const nested = (type: 'open' | 'close') => (_: unknown, index: number) => {
    const tag = type === 'open' ? index + 1 : many / 2 - index;
    return [{ tag, type, format: 'bold' as const }, 'a'];
  };
  const longWord = 'b'.repeat(many);

  test.each<[string, string, InlineContent]>([
    [
      'breaks',
      longWord,
      Array.from({ length: many }, (_, n) => ['a', { tag: n + 1, type: 'void', text: '\n' } as const]).flat(),
    ],
    ['formats', 'xaby'.repeat(many / 4), Array.from({ length: many }, (_, n) => pair(n + 1)).flat()],
    [
      'nested formats',
      `${'a'.repeat(many / 2)}b${'a'.repeat(many / 2)}`,
      [
        ...Array.from({ length: many / 2 }, nested('open')).flat(),
        ...Array.from({ length: many / 2 }, nested('close')).flat(),
      ],
    ],
  ])('takes no more than a second for 20,000 %s', (_, translation, source) => {
    const start = performance.now();
    expect(plainText(placeTags(translation, source).content).replaceAll('\n', '')).toBe(translation);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('puts breaks where the translation has them, and other tags at words', () => {
    const source: InlineContent = [
      'Dear Ann,',
      { tag: 1, type: 'void', text: '\n' },
      'see ',
      { tag: 2, type: 'open' },
      'this page',
      { tag: 2, type: 'close' },
    ];
    const { content: placed, isGuessed } = placeTags('Chère Ann,\nvoyez cette page', source);
    expect(isGuessed).toBe(true);
    expect(placed.slice(0, 2)).toEqual(['Chère Ann,', { tag: 1, type: 'void', text: '\n' }]);
    expect(placed.at(-1)).toEqual({ tag: 2, type: 'close' });
    expect(plainText(placed)).toBe('Chère Ann,\nvoyez cette page');
    const inside = placed[placed.findIndex((item) => typeof item === 'object' && item.tag === 2) + 1];
    expect(['voyez cette page', 'cette page', 'page']).toContain(inside);
  });
});

describe('the position of a tag', () => {
  const link = (words: string, tag = 1): InlineContent => [
    { tag, type: 'open' },
    words,
    { tag, type: 'close' },
  ];
  const image: InlineTag = { tag: 1, type: 'void' };
  const known = [{ source: 'the manual', targets: ['Handbuch'] }];

  test.each<[what: string, source: InlineContent, text: string, result: string]>([
    ['is a name', ['Ask ', ...link('LinguaLoop'), ' now'], 'LinguaLoop fragen', '<1>LinguaLoop</1> fragen'],
    [
      'are names in another order',
      [...link('Git'), ' for ', ...link('Debian', 2)],
      'Debian-Paket Git',
      '<2>Debian</2>-Paket <1>Git</1>',
    ],
    ['is a term', ['Read ', ...link('the manual'), ' now'], 'Handbuch lesen', '<1>Handbuch</1> lesen'],
    ['is a sentence', ['Stop. ', ...link('Read more.')], 'Halt. Mehr lesen.', 'Halt. <1>Mehr lesen.</1>'],
    [
      'stands in brackets',
      ['A text (', ...link('long'), ')'],
      'Ein (langer) Text',
      'Ein (<1>langer</1>) Text',
    ],
    ['stands before a colon', [...link('Hint'), ': stop'], '提示：停止', '<1>提示</1>：停止'],
    ['is an image after a period', ['Stop. ', image, ' Go.'], 'Halt. Los.', 'Halt. <1/>Los.'],
  ])('is certain if it %s', (_, source, text, result) => {
    const { content, isGuessed } = placeTags(text, source, known);
    expect([formatTagged(content), isGuessed]).toEqual([result, false]);
  });

  test.each<[what: string, source: InlineContent, text: string]>([
    ['words are translated', ['See ', ...link('the page'), ' now'], 'Jetzt die Seite ansehen'],
    ['words are there twice', ['Ask ', ...link('Git'), ' now'], 'Git über Git fragen'],
    ['term is there twice', ['Read ', ...link('the manual'), ' now'], 'Handbuch oder Handbuch'],
    ['word is short', ['They ', ...link('die'), ' here'], 'Hier sterben die Leute'],
    ['marks differ', [...link('Hint'), ': stop now'], 'Bitte, Halt: jetzt: sofort'],
    ['brackets can change places', ['(', ...link('one'), ') (two)'], '(zwei) (eins)'],
    ['words stand between a bracket and a period', ['crypt(3) ', ...link('hashes'), '.'], 'crypt(3) は使用.'],
    ['image stands for the last word', ['Press ', image], 'Drücken Sie'],
    ['image stands for a word', ['The class comes from ', image, '.'], 'Die Klasse kommt daher.'],
  ])('is a guess if the %s', (_, source, text) => {
    expect(placeTags(text, source, known).isGuessed).toBe(true);
  });
});

describe('retag', () => {
  test('gives exactly the correction, with every tag of the translation', () => {
    fc.assert(
      fc.property(text, content, (correction, previous) => {
        const corrected = retag(correction, previous);
        expectSound(corrected, previous);
        expect(tagsOf(corrected)).toEqual(tagsOf(previous));
        expectWholeCharacters(corrected);
        const marks = tagsOf(previous).map((tag) => tag.text);
        if (!marks.includes('\n') && !marks.includes('\t')) expect(strings(corrected)).toBe(correction);
        else expect(plainText(corrected).replace(/[\n\t]/g, '')).toBe(correction.replace(/[\n\t]/g, ''));
      }),
    );
  });

  test('of the same text changes nothing', () => {
    fc.assert(
      fc.property(content, (previous) => {
        expect(retag(plainText(previous), previous)).toEqual(previous);
      }),
    );
  });

  test('knows a break from the same character of the text', () => {
    const previous: InlineContent = ['a\tb', { tag: 1, type: 'void', text: '\t' }, 'c'];
    expect(retag('a\tb\tc', previous)).toEqual(previous);
    expect(retag('a\tb\td', previous)).toEqual([...previous.slice(0, 2), 'd']);
    expect(retag('x\tb\tc', previous)).toEqual(['x\tb', ...previous.slice(1)]);
  });

  test('leaves the tags around what did not change', () => {
    const previous: InlineContent = [
      'Voyez ',
      { tag: 1, type: 'open' },
      'cette page',
      { tag: 1, type: 'close' },
      ' du site.',
    ];
    expect(retag('Lisez cette page du site.', previous)).toEqual(['Lisez ', ...previous.slice(1)]);
    expect(retag('Voyez cette page du manuel.', previous)).toEqual([...previous.slice(0, -1), ' du manuel.']);
    expect(retag('Voyez cette belle page du site.', previous)).toEqual([
      'Voyez ',
      { tag: 1, type: 'open' },
      'cette belle page',
      { tag: 1, type: 'close' },
      ' du site.',
    ]);
  });
});

describe('formatting', () => {
  const open = (tag: number): InlineTag => ({ tag, type: 'open', format: 'bold' });
  const close = (tag: number): InlineTag => ({ tag, type: 'close', format: 'bold' });
  const link: InlineContent = [{ tag: 2, type: 'open' }, 'here', { tag: 2, type: 'close' }];
  const source: InlineContent = ['Press ', open(1), 'Stop', close(1), ' ', ...link];

  test.each<[what: string, reply: string, result: InlineContent | null]>([
    [
      'is missing',
      'Appuyez <2>ici</2>',
      ['Appuyez ', { tag: 2, type: 'open' }, 'ici', { tag: 2, type: 'close' }],
    ],
    [
      'has only one end',
      '<1>Appuyez <2>ici</2>',
      ['Appuyez ', { tag: 2, type: 'open' }, 'ici', { tag: 2, type: 'close' }],
    ],
    [
      'is there twice',
      '<1>a</1><1>b</1><2>c</2>',
      ['ab', { tag: 2, type: 'open' }, 'c', { tag: 2, type: 'close' }],
    ],
    ['crosses a link', '<1>a<2>b</1>c</2>', ['a', { tag: 2, type: 'open' }, 'bc', { tag: 2, type: 'close' }]],
    ['is there, but a link is not', '<1>a</1>', null],
  ])('is left out of a reply in which it %s', (_, reply, result) => {
    expect(parseWithoutFormats(reply, source)).toEqual(result);
  });

  test('that is whole stays if other formatting is broken', () => {
    const two: InlineContent = [open(1), 'a', close(1), ' ', open(2), 'b', close(2)];
    expect(parseWithoutFormats('<1>x y <2>z</2>', two)).toEqual(['x y ', open(2), 'z', close(2)]);
  });

  test('that was lost is not guessed, unless its words are in the translation', () => {
    expect(
      placeTags('Appuyez ici', source).content.filter((item) => typeof item !== 'string' && item.format),
    ).toEqual([]);
    expect(placeTags('Appuyez sur Stop ici', source).content.slice(0, 4)).toEqual([
      'Appuyez sur ',
      open(1),
      'Stop',
      close(1),
    ]);
    expect(placeTags('Stop : Stop', [open(1), 'Stop', close(1), ' now']).content).toEqual(['Stop : Stop']);
    expect(placeTags('Stopper', [open(1), 'Stop', close(1), ' now']).content).toEqual(['Stopper']);
  });

  test('of corrected words is left out, and of other words stays', () => {
    const previous: InlineContent = [
      'Un ',
      open(1),
      'mot',
      close(1),
      ' et ',
      open(2),
      'deux',
      close(2),
      ' fin',
    ];
    expect(retag('Un mot, trois fin', previous)).toEqual(['Un ', open(1), 'mot', close(1), ', trois fin']);
    expect(retag('Le mot et deux mots', previous)).toEqual([
      'Le ',
      open(1),
      'mot',
      close(1),
      ' et ',
      open(2),
      'deux',
      close(2),
      ' mots',
    ]);
    expect(retag('Un mot et deux trois fin', previous)).toEqual([...previous.slice(0, -1), ' trois fin']);
  });
});

describe('placeInParts', () => {
  const link = (tag: number, ...inside: InlineContent): InlineContent => [
    { tag, type: 'open' },
    ...inside,
    { tag, type: 'close' },
  ];
  const note: InlineTag = { tag: 2, type: 'void' };
  const line: InlineTag = { tag: 2, type: 'void', text: '\n' };
  const parts = (first: [string, string], space: string, second: [string, string], gap = space) => [
    { source: first[0], text: first[1], isSpace: false },
    { source: space, text: gap, isSpace: true },
    { source: second[0], text: second[1], isSpace: false },
  ];
  const stop: [string, string] = ['Press Esc (twice).', 'Zweimal Esc drücken!'];
  const start: [string, string] = ['Then press Esc.', 'Danach Esc drücken.'];

  // In the whole text, "Esc" stands twice, and the marks differ.
  test.each<[string, InlineContent, string, ReturnType<typeof parts>]>([
    [
      'a word that each sentence has once',
      ['Press ', ...link(1, 'Esc'), ' (twice). Then press Esc.'],
      'Zweimal <1>Esc</1> drücken! Danach Esc drücken.',
      parts(stop, ' ', start),
    ],
    [
      'a whole sentence',
      ['Press Esc (twice). ', ...link(1, 'Then press Esc.')],
      'Zweimal Esc drücken! <1>Danach Esc drücken.</1>',
      parts(stop, ' ', start),
    ],
    [
      'a footnote after a sentence, and a link at the start of the next',
      ['Press Esc (twice).', note, ' ', ...link(1, 'Then press Esc.')],
      'Zweimal Esc drücken!<2/> <1>Danach Esc drücken.</1>',
      parts(stop, ' ', start),
    ],
    [
      'a line break between sentences',
      ['Press Esc (twice).', line, ...link(1, 'Then press Esc.')],
      'Zweimal Esc drücken!<2/><1>Danach Esc drücken.</1>',
      parts(stop, '\n', start),
    ],
    [
      'a sentence after which the other language has no space',
      [...link(1, 'Press Esc (twice).'), ' Then press Esc.'],
      '<1>Esc を2回押します。</1>次に Esc を押します。',
      parts([stop[0], 'Esc を2回押します。'], ' ', [start[0], '次に Esc を押します。'], ''),
    ],
  ])('proves the position of %s', (_, source, expected, given) => {
    const { content, isGuessed } = placeInParts(given, source)!;
    expect([formatTagged(content), isGuessed]).toEqual([expected, false]);
  });

  test('takes tags that span sentences as those of the whole text', () => {
    const source: InlineContent = ['Press ', ...link(1, 'Esc (twice). Then press'), ' Esc.'];
    const given = parts(stop, ' ', start);
    expect(placeInParts(given, source)).toEqual(
      placeTags('Zweimal Esc drücken! Danach Esc drücken.', source),
    );
    // A break in the place of a space that the translation does not have.
    const broken: InlineContent = ['Press Esc (twice).', { ...note, text: ' ' }, 'Then press Esc.'];
    const tight = parts(stop, ' ', start, '');
    expect(placeInParts(tight, broken)).toEqual(placeTags('Zweimal Esc drücken!Danach Esc drücken.', broken));
  });

  test('keeps every tag and text, wherever the sentences end', () => {
    fc.assert(
      fc.property(content, fc.array(fc.nat(40), { maxLength: 4 }), (source, cuts) => {
        const all = memoryText(source);
        const ends = [...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length];
        const given = ends.map((end, at) => {
          const words = all.slice(ends[at - 1] ?? 0, end);
          return { source: words, text: words, isSpace: words.trim() === '' };
        });
        const placed = placeInParts(given, source)!;
        expectSound(placed.content, source);
        expect(memoryText(placed.content)).toBe(all);
      }),
    );
  });
});

describe('code in a translation from the translation memory', () => {
  const code = (tag: number, words: string): InlineTag => ({ tag, type: 'void', isWord: true, code: words });
  const source: InlineContent = ['Copy ', code(1, 'a.txt'), ' to ', code(2, 'b.txt'), '.'];

  test('is text in the memory, but not in the segment', () => {
    expect(memoryText(source)).toBe('Copy a.txt to b.txt.');
    expect(plainText(source)).toBe('Copy  to .');
  });

  test('becomes its tag, also in another order', () => {
    expect(formatTagged(placeCodes('Nach b.txt kopieren: a.txt', source)!.content)).toBe(
      'Nach <2/> kopieren: <1/>',
    );
  });

  test('stands where the word stands that is this code, not where an equal word stands', () => {
    const words: InlineContent = ['The file ', code(1, 'file'), ' is old.'];
    expect(formatTagged(placeCodes('Das file file ist alt.', words)!.content)).toBe('Das file <1/> ist alt.');
  });

  test.each([
    ['lacks one', 'Nach b.txt kopieren.'],
    ['has one twice', 'a.txt nach b.txt, nicht a.txt'],
    ['has one as a part of a word', 'xa.txt nach b.txt'],
    ['has none', 'Kopieren nach .'],
  ])('has no certain place if the translation %s', (_, translation) => {
    expect(placeCodes(translation, source)).toBeNull();
  });

  test('keeps every tag once', () => {
    const linked: InlineContent = [
      { tag: 1, type: 'open' },
      'Copy',
      { tag: 1, type: 'close' },
      ' ',
      code(2, 'a.txt'),
      ' now',
    ];
    const placed = placeCodes('a.txt jetzt kopieren', linked);
    expect(placed && formatTagged(placed.content)).toSatisfy(
      (text: string | null) =>
        text === null || ['<1>', '</1>', '<2/>'].every((tag) => text.split(tag).length === 2),
    );
  });
});
