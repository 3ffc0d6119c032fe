import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import * as markdown from '#server/formats/markdown.ts';
import { eachString, marked, segmentsOf, textsOf, translate, unchanged } from './markup-files.ts';

const other = new MarkdownIt({ html: true, linkify: false });

/** The structure of a file without its texts, as another parser sees it. */
const structureOf = (file: string): string =>
  other
    .render(file)
    .replace(/>[^<]+</g, '><')
    .replace(/^[^<]*|[^>]*$/g, '')
    .replaceAll(/ (alt|title)="[^"]*"/g, ' $1');

/** The texts of a file, as another parser sees them. */
const visibleOf = (file: string): string => other.render(file).replace(/\s+/g, ' ');

describe('the texts of a Markdown file', () => {
  it.each<[string, string, string[]]>([
    [
      'inline markup is tags',
      '# A *b* __c__\n\nD ~~e~~ [f](g)\n',
      ['A <1>b</1> <2>c</2>', 'D <1>e</1> <2>f</2>'],
    ],
    ['code is a void tag', 'Run `npm i` now', ['Run <1/> now']],
    ['soft breaks are spaces, hard breaks are tags', 'a\nb  \nc\\\nd', ['a b<1/>c<2/>d']],
    ['lists, tasks and quotes', '- a\n- [ ] b\n  c\n\n> > d\n> e\n\n1. f', ['a', 'b c', 'd e', 'f']],
    ['tables', '| A | *b* c |\n|---|:-:|\n| x \\| y | 1 |', ['A', '<1>b</1> c', 'x | y']],
    ['code and HTML stay', '```js\na\n```\n\n    b\n\n<div>\nc\n</div>\n\n~~~\nd', []],
    ['HTML in a sentence', 'a <b>c</b> <br> d <kbd>Esc</kbd> e <!-- f -->', ['a <1>c</1><2/>d <3/> e']],
    ['pictures and titles', 'See ![A b](c "D") [e](f "G")', ['See <1/> <2>e</2>', 'A b', 'D', 'G']],
    ['references', '[A b][c] [d] [e][]\n\n[c]: x "T"\n[d]: y\n[e]: z', ['<1>A b</1> <2>d</2> <3>e</3>']],
    ['footnotes', 'a[^1] b\n\n[^1]: c', ['a<1/> b', 'c']],
    ['addresses', 'See <https://a.b> or www.a.com now', ['See <1/> or <2/> now']],
    ['formulas', 'Let $a_1*b$ be $5 and $$x$$ 6\n\n$$\na*b\n$$\n', ['Let <1/> be $5 and <2/> 6']],
    [
      'shortcodes and Liquid',
      '{{< a >}}\n\n{% if b %}\nC {{ d }} e\n{% endif %}\n\nF {{% g %}} h',
      ['C <1/> e', 'F', 'h'],
    ],
    [
      'directives and admonitions',
      ':::note Title\nA\n:::\n\n> [!TIP]\n> B\n\n!!! note "T"\n    C',
      ['Title', 'A', 'B', 'T', 'C'],
    ],
    ['identifiers of headings', '## A {#a}\n\n## B {: .c}\n', ['A', 'B']],
    [
      'front matter',
      '---\ntitle: A b\ntags: [c]\nnested:\n  title: d\nsidebar_label: "E"\n---\n\nF',
      ['A b', 'E', 'F'],
    ],
    [
      'front matter in TOML',
      '+++\ntitle = "A \\"b\\""\ndescription = \'c\'\nx = "d"\n[e]\ntitle = "f"\n+++\nG',
      ['A "b"', 'c', 'G'],
    ],
    [
      'MDX',
      "import A from 'b'\n\nexport const c = { d: 'e' };\n\n<A title=\"f\" on={() => <b>g</b>}>\n\n  H {i} <A>j</A>\n\n</A>\n\n{/* k */}\n",
      ['H <1/> <2>j</2>'],
    ],
    ['what is not valid MDX', "import A from 'b'\n\n<A>\n\nB < 1 <https://c.d>\n\n</A>", ['B < 1 <1/>']],
    ['references of characters', 'a &amp; b&nbsp;&eacute; \\* c', ['a & b\u00a0é * c']],
    ['numbers stay', '1\n\n| 2 | ![](x) |\n|--|--|\n', []],
  ])('%s', async (_, file, texts) => {
    expect(await textsOf(markdown, file)).toEqual(texts);
    expect(await translate(markdown, file, unchanged)).toBe(file);
  });

  it('have their kind and line', async () => {
    const found = (await segmentsOf(markdown, '---\ntitle: A\n---\n# B\n\n| C |\n|-|\n\nD ![E](f)')).map(
      ({ kind, place }) => `${kind}: ${place}`,
    );
    expect(found).toEqual([
      ...['heading: line 2, title', 'heading: line 4', 'table_cell: line 6', 'paragraph: line 9'],
      'text_block: line 9, alt',
    ]);
  });
});

describe('a translated Markdown file', () => {
  it.each([
    ...[
      '# a',
      '- a',
      '+ a',
      '* a',
      '1. a',
      '2) a',
      '> a',
      '---',
      '===',
      '***',
      '    a',
      '```',
      '~~~',
      '| a',
      '[a]: b',
      '<div>',
      '&amp;',
    ],
    ...[
      'a * b * c',
      '*a*',
      '_a_',
      '__a__',
      'a_b_c',
      '`a`',
      '[a](b)',
      '![a](b)',
      '[a]',
      '<b>',
      'a\\',
      '\\*',
      '~~a~~',
      'a | b',
      '$a$',
      'a #',
      '!',
    ],
    ...[
      '[^1]',
      '<https://a.b>',
      'a\nb',
      '#',
      ':-:',
      '|-|',
      '\ta',

      '1.',
      '-',
      '+',
      '>',
      '=',
      '&#35;',
      '[x] a',
      '<!-- a -->',
      '::: a',
      '!!! a',
    ],
  ])('has %j as text', async (text) => {
    for (const [file, node] of [
      ['Text\n', 'p'],
      ['# Text\n', 'h1'],
      ['Text\n===\n', 'h1'],
      ['> - Text\n', 'li'],
      ['| A |\n|---|\n| Text |\n', 'td'],
      ['**Text**!\n', 'strong'],
      ['a [Text](b) c\n', 'a'],
      ['a\\\n**Text**\n', 'strong'],
    ] as const) {
      const translated = await translate(
        markdown,
        file,
        eachString((one) => one.replace('Text', () => text)),
      );
      const visible = text
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;')
        .replace(/>/g, '&gt;')
        .replace(/"/g, '&quot;');
      expect
        .soft(visibleOf(translated), `${JSON.stringify(file)} became ${JSON.stringify(translated)}`)
        .toBe(visibleOf(file).replace('Text', () => visible));
      expect.soft(visibleOf(translated)).toContain(`<${node}`);
    }
  });

  it.each([
    [
      'keeps the prefix of lines with hard breaks',
      '> - a  \n>   b\n>   c\\\n>   d\n',
      '> - a§  \n>   b§ c§\\\n>   d§\n',
    ],
    ['keeps lines that end with CRLF', '- a\\\r\n  b\r\n', '- a§\\\r\n  b§\r\n'],
    ['keeps the signs of emphasis', '_a_ __b__ *c* ~d~', '_a§_ __b§__ *c§* ~d§~'],
    ['keeps the label of a reference', '[a] [b][]\n\n[a]: x\n[b]: y', '[a§][a] [b§][b]\n\n[a]: x\n[b]: y'],
    ['writes titles in their quotes', "[a](b 'c')", "[a§](b 'c§')"],
    [
      'writes values of front matter as they are',
      '---\ntitle: \'A\'\nlabel: "B"\nsummary: C\ndescription: >-\n  D\n  e\n---\n',
      '---\ntitle: \'A§\'\nlabel: "B§"\nsummary: C§\ndescription: >-\n  D§ e§\n---\n',
    ],
  ])('%s', async (_, file, expected) => {
    expect(await translate(markdown, file, marked)).toBe(expected);
  });

  it.each([
    ['title: a', 'b: c', 'title: "b: c"'],
    ['title: a', '# b', 'title: "# b"'],
    ['title: a', 'yes', 'title: yes'],
    ['title: a', '12', 'title: "12"'],
    ['title: a', '@b', 'title: "@b"'],
    ['title: a', '`b`', 'title: "`b`"'],
    ['title: a', '%b', 'title: "%b"'],
    ["title: 'a'", "it's", "title: 'it''s'"],
    ['title: "a"', 'say "b"', 'title: "say \\"b\\""'],
  ])('has valid front matter: %s', async (yaml, text, expected) => {
    expect(await translate(markdown, `---\n${yaml}\n---\n`, () => [text])).toBe(`---\n${expected}\n---\n`);
  });

  it('has emphasis next to letters and punctuation', async () => {
    const translated = await translate(markdown, 'a **b** c', ([, open, , close]) => [
      open!,
      '「あ」',
      close!,
      'です',
    ]);
    expect(visibleOf(translated)).toBe('<p><strong>「あ」</strong>です</p> ');
  });

  it('has names with underscores as they are', async () => {
    expect(await translate(markdown, 'Text', () => ['the a_b_c of _x_'])).toBe('the a_b_c of \\_x\\_');
  });

  it('has text that looks like a module', async () => {
    const file = "import A from 'b'\n\n<A/>\n\nText\n";
    const translated = await translate(markdown, file, () => ['import {a} from <b>']);
    expect(await textsOf(markdown, translated)).toEqual(['import {a} from <b>']);
  });
});

// Signs whose partner may be outside of a text are in pairs: in a file with a single backtick, a backslash has no effect.
const pieces = fc.constantFrom(
  ...[
    'a',
    'B c',
    ' ',
    '\n',
    '\n\n',
    '  \n',
    '\\\n',
    '*',
    '**',
    '_',
    '__',
    '`c`',
    '``c`d``',
    '[e](x)',
    '[f *g*](x "t")',
    '![h](x)',
    '[a]',
    '[ ]',
  ],
  ...[
    '# ',
    '- ',
    '1. ',
    '> ',
    '- [ ] ',
    '|',
    '| - |\n',
    '---\n',
    '===\n',
    '```\n',
    '~',
    '~~',
    ' $x$ ',
    '{{ x }}',
    '{% x %}',
    ':::',
  ],
  ...[
    '\n[a]: x\n',
    '[^1]',
    '\n[^1]: ',
    '&amp;',
    '\\',
    '!',
    '<!-- i -->',
    '<b>',
    '</b>',
    '<br>',
    '\n<div>\n',
    '{#a}',
    '\n> [!NOTE]\n',
    ' www.a.b ',
  ],
  ...['<', 'é', '。', '"', '('],
);

describe('any Markdown', () => {
  it('keeps its bytes without translations, and its structure with them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 25 }), async (parts) => {
        const file = parts.join('');
        expect(await translate(markdown, file, unchanged)).toBe(file);
        const texts = await textsOf(markdown, file);
        const translated = await translate(
          markdown,
          file,
          eachString((text) => text.replaceAll(/[a-zé]+/gi, '$&q')),
        );
        const plain = (text: string) => text.replace(/\s+/g, '');
        expect(
          (await textsOf(markdown, translated)).map((text) => plain(text.replace(/([a-zé]+)q/gi, '$1'))),
        ).toEqual(texts.map(plain));
      }),
      { numRuns: 500 },
    );
  });

  it('is read, or rejected with a FileError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), async (content) => {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content;
        await markdown.extract(bytes).catch((error) => expect(error).toBeInstanceOf(FileError));
      }),
    );
  });
});

it('changes each text once, as another parser sees it', async () => {
  const file = `# A *title*\n\nSome **bold** text with \`code\`\nand a [link](x "title").\n\n- One\n- Two\n  - Three\n\n> A quote\n\n| A | B |\n|---|---|\n| c | d |\n\n\`\`\`\ncode\n\`\`\`\n\n![Alt](a.png)\n`;
  const translated = await translate(markdown, file, marked);
  expect(structureOf(translated)).toBe(structureOf(file));
  const expected = other
    .render(file)
    .replace(
      /<code>[^<]*<\/code>|<[^>]*?(?:alt|title)="([^"]*)"[^>]*>|<[^>]*>|(\p{L}+)/gu,
      (found, label, word) =>
        word
          ? `${word}§`
          : label
            ? found.replace(`"${label}"`, `"${label.replaceAll(/\p{L}+/gu, '$&§')}"`)
            : found,
    );
  expect(visibleOf(translated)).toBe(expected.replace(/\s+/g, ' '));
});
