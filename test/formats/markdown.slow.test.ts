import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import * as markdown from '#server/formats/markdown.ts';
import { casesOf } from './cases.ts';
import { eachString, marked, segmentsOf, textsOf, translate, unchanged } from './markup-files.ts';

const other = new MarkdownIt({ html: true, linkify: false });

/** Changes each word, and so the address of a heading. */
const changed = eachString((text) => text.replaceAll(/\p{L}+/gu, '$&ø'));

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
  it.each<[string, string, string[]]>(casesOf('markdown.yaml', 'the texts of a Markdown file'))(
    '%s',
    async (_, file, texts) => {
      expect(await textsOf(markdown, file)).toEqual(texts);
      expect(await translate(markdown, file, unchanged)).toBe(file);
    },
  );

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
      '!!!a',
      ': a',
      '=== "a"',
      '/// a',
      '*[a]: b',
      '[!a] b',
      '[a]{.b}',
      '^[a]',
      '{ .a }',
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

  it('has no formula that the source does not have, also not across markup', async () => {
    const texts = ['$a', '$b', ' c$'];
    const put = eachString((text) => text.replace(/cost|it| now/, () => texts.shift()!));
    const translated = await translate(markdown, 'Let $x$ cost **it** now', put);
    expect(translated).toBe('Let $x$ \\$a **\\$b** c\\$');
    expect(await textsOf(markdown, translated)).toEqual(['Let <1/> $a <2>$b</2> c$']);
    expect(await translate(markdown, 'Pay **$5** or $6', marked)).toBe('Pay§ **$5** or§ $6');
  });

  it.each<[string, string, string]>(casesOf('markdown.yaml', 'a translated Markdown file'))(
    '%s',
    async (_, file, expected) => {
      expect(await translate(markdown, file, marked)).toBe(expected);
    },
  );

  it.each<[string, string, string]>(
    casesOf('markdown.yaml', 'a translated Markdown file: keeps the signs of'),
  )('keeps the signs of %s', async (_, file, expected) => {
    expect(await translate(markdown, file, marked)).toBe(expected);
  });

  it.each<[string, string, string, typeof markdown.mdx?]>([
    [
      'an element before the heading, or after a title',
      '# A\n\n- [b](#c-d)\n\n## C d?\n\nE [f](#a)\n',
      '# Aø\n\n<a id="a"></a>\n\n- [bø](#c-d)\n\n<a id="c-d"></a>\n\n## Cø dø?\n\nEø [fø](#a)\n',
    ],
    [
      'an element in MDX',
      'import A from "b"\n\n<A href="#c">d</A>\n\n## C\n',
      'import A from "b"\n\n<A href="#c">dø</A>\n\n<a id="c"></a>\n\n## Cø\n',
      markdown.mdx,
    ],
    [
      'an identifier in a file with identifiers',
      '## A {#b}\n\n## C d ##\n\n[e](#c-d) [f](#b)\n',
      '## Aø {#b}\n\n## Cø dø {#c-d} ##\n\n[eø](#c-d) [fø](#b)\n',
    ],
    [
      'an identifier in a file of Hugo',
      '{{< a >}}\n\n## B\n\n[c](#b)',
      '{{< a >}}\n\n## Bø {#b}\n\n[cø](#b)',
    ],
    [
      'elements for the second heading of a text, and in quotes and lists',
      '> A\n> ## B\n\n- ## B\n\n[c](#b) [d](#b-1)\n',
      '> Aø\n> \n> <a id="b"></a>\n>\n> ## Bø\n\n- <a id="b-1"></a>\n\n  ## Bø\n\n[cø](#b) [dø](#b-1)\n',
    ],
    [
      'no element if the file has one',
      '<a id="b"></a>\n\n## B\n\n[c](#b) [d](#other) [e](x#b)\n',
      '<a id="b"></a>\n\n## Bø\n\n[cø](#b) [dø](#other) [eø](x#b)\n',
    ],
  ])('keeps links to headings: %s', async (_, file, expected, format = markdown) => {
    expect(await translate(format, file, changed)).toBe(expected);
    expect(await translate(format, expected, unchanged)).toBe(expected);
  });

  it('reports links to headings by their text, which only Obsidian has', async () => {
    const file = 'See [[#A b|this]],\n[that](#A%20b) and [[#C]]\n\n## A b\n\n## C\n';
    const bytes = Buffer.from(file);
    const { segments } = await markdown.extract(bytes);
    const translated = segments.map((one) => ({
      ...one,
      target: one.source.includes('C') ? one.source : changed(one.source),
    }));
    const { findings } = await markdown.rebuild(bytes, translated, {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    const message = (line: number) =>
      `line ${line}: the link to the heading “A b” does not work after the translation of the heading`;
    const unitId = segments.find(({ kind }) => kind === 'heading')!.regionId;
    expect(findings).toEqual(
      [1, 2].map((line) => ({ severity: 'warning', code: 'link_broken', message: message(line), unitId })),
    );
  });

  it.each([
    ['title: a', 'b: c', 'title: "b: c"'],
    ['title: a', '# b', 'title: "# b"'],
    ['title: a', 'yes', 'title: "yes"'],
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

  it.each([
    ['See https://a.b/c_(d) now', '参照', 'https://a.b/c_%28d%29', 'を'],
    ['See www.a.b now', '参照', 'http://www.a.b', '。'],
    ['See https://a.b *now*', '参照 ', 'https://a.b', '、'],
  ])('keeps the address of %s', async (file, before, address, after) => {
    const only = (source: InlineContent) => source.find((part) => typeof part !== 'string')!;
    const translated = await translate(markdown, file, (source) => [before, only(source), after]);
    const [, href] = /href="([^"]*)"/.exec(other.render(translated))!;
    expect(href!.replaceAll('(', '%28').replaceAll(')', '%29')).toBe(address);
    expect(await translate(markdown, file, (source) => [...source, '.'])).toMatch(
      /^See (?:https|www)[^[\]]*\.$/,
    );
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
  ...[
    '[[p]]',
    '[[p|',
    ']]',
    ']{.a}',
    '\n!!! note "t"\n    ',
    '\n=== "t"\n    ',
    '\n??? a\n\n    ',
    '\n: ',
    '\n*[H]: ',
    '\n> [!tip] ',
    '\n:::a ',
    '    ',
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

describe('the check of a long file', () => {
  const words = `${'Some words of a paragraph.\n\n'.repeat(5000)}`;
  const nested = `${'*a **b '.repeat(120)}x${'***'.repeat(120)}`;
  const check = async (file: string) => {
    const taken: string[] = [];
    await markdown.check(Buffer.from(file), (text) => taken.push(text) < 3);
    return taken;
  };

  it.each([
    ['inline markup', `${nested}\n`],
    ['lists and inline markup', `${'- '.repeat(90)}${'*'.repeat(48)}a${'*'.repeat(48)}\n`],
  ])('rejects %s that is only found by parsing its end, as the extraction does', async (_, end) => {
    const file = `${words}${end}`;
    const rejected = (work: Promise<unknown>) => work.catch((error: unknown) => error);
    const found = await rejected(markdown.extract(Buffer.from(file)));
    expect(found).toBeInstanceOf(FileError);
    expect(await rejected(check(file))).toEqual(found);
  });

  it.each([
    [
      'words',
      words,
      ['Some words of a paragraph.', 'Some words of a paragraph.', 'Some words of a paragraph.'],
    ],
    ['code, and a text at its end', `\`\`\`\n${words}\`\`\`\n\nThe end\n`, ['The end']],
    ['lines that end with CR LF', words.replaceAll('\n', '\r\n'), expect.objectContaining({ length: 3 })],
    ['code only', `\`\`\`\n${words}\`\`\`\n`, []],
  ])('takes the first texts of %s', async (_, file, texts) => {
    expect(await check(file)).toEqual(texts);
  });
});
