import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import * as markdown from '#server/formats/markdown.ts';
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
    ['code stays', '```js\na\n```\n\n    b\n\n~~~\nd', []],
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
      ['A b', 'd', 'E', 'F'],
    ],
    [
      'front matter of a home page',
      '---\nlayout: home\nhero:\n  name: A\n  text: B c\n  image: {src: /d.svg, alt: D e}\n  actions:\n    - theme: brand\n      text: F\n      link: /g\nfeatures:\n  - icon: h\n    title: I\n    details: J k\nsidebar:\n  badge: L\nhead:\n  - [meta, {name: description, content: M n}]\n  - [script, {}, alert("o p")]\nkeywords: [q r, s]\nlastText: some_id\nx: !expr paste("t u")\n---\n',
      ['B c', 'D e', 'F', 'I', 'J k', 'L', 'M n', 'q r', 's'],
    ],
    [
      'front matter in JSON',
      '{\n  "title": "A b",\n  "hero": { "heading": "C" },\n\n  "url": "d/e f"\n}\n\nG',
      ['A b', 'C', 'G'],
    ],
    [
      'markup in front matter and attributes',
      '---\ntitle: See `a b` c\ntagline: Read the [d e](/f/g.md) or <a href="h">i</a> [j] {{ k }}\n---\n\n![](x){.l fig-alt="M {{< n o >}} `p`"}\n',
      ['See <1/> c', 'Read the <1>d e</1> or <2>i</2> [j] <3/>', 'M <1/> <2/>'],
    ],
    ['front matter with its type', '---json\n{"title": "A", "b": 1}\n---\n\nC', ['A', 'C']],
    [
      'front matter in TOML',
      '+++\ntitle = "A \\"b\\""\ndescription = \'c\'\nx = "d"\n[e]\ntitle = "f"\n[[h]]\nk = [{ text = "i", url = "/j" }]\n[menu.main]\nname = \'l\'\n+++\nG',
      ['A "b"', 'c', 'f', 'i', 'l', 'G'],
    ],
    [
      'MDX',
      "import A from 'b'\n\nexport const c = { d: 'e' };\n\n<A title=\"f\" on={() => <b>g</b>}>\n\n  H {i} <A>j</A>\n\n</A>\n\n{/* k */}\n",
      ['f', 'H <1/> <2>j</2>'],
    ],
    ['what is not valid MDX', "import A from 'b'\n\n<A>\n\nB < 1 <https://c.d>\n\n</A>", ['B < 1 <1/>']],
    ['references of characters', 'a &amp; b&nbsp;&eacute; \\* c', ['a & b\u00a0é * c']],
    [
      'lists of definitions',
      'Apple\n:   A red\n    fruit.\n: B `c`\nPear\n: D\n\nE f\n*G*\n\n:     H\n\n    I',
      ['Apple', 'A red fruit.', 'B <1/>', 'Pear', 'D', 'E f', 'G', 'H', 'I'],
    ],
    ['what is no definition', 'A :smile: b\n:c d\n\n| e |\n|:-:|\n', ['A :smile: b :c d', 'e']],
    [
      'links of wikis',
      'A [[b]] [[c#d|e *f*]] ![[g.png]] ![[h.png|100]]\n\n| [[i\\|j]] | k |\n|-|-|\n',
      ['A <1/> <2>e <3>f</3></2> <4/> <5/>', '<1>j</1>', 'k'],
    ],
    [
      'links with brackets',
      '[[1]](x) [[a]][b] `[[c]]` \\[[d]]\n\n[b]: y',
      ['<1>[1]</1> <2>[a]</2> <3/> [[d]]'],
    ],
    [
      'abbreviations',
      'A B\n\n*[HTML]: Hyper *text*\n*[CSS]: Styles\n',
      ['A B', 'Hyper <1>text</1>', 'Styles'],
    ],
    [
      'lists of attributes',
      '# A {#b}\n\n[c `d`]{.e #f} [g](h){ .i } ![](j){ width=1 } `k`{:.l} *m*{.n}\n{: .o }\n',
      ['A', '<1>c <2/></1> <3>g</3> <4/> <5/> <6>m</6>'],
    ],
    ['notes, references and tasks', 'A^[b] [c `d`][e.f]\n\n- [?] g\n', ['A<1>b</1> <2>c <3/></2>', 'g']],
    [
      'titles of directives',
      ':::note[A `b` [c](d)]{.e}\nF\n:::\n\n::: details G {open}\nH\n:::\n\n:::{tip} I\n:::\n\n/// note | J\nK\n///',
      ['A <1/> <2>c</2>', 'F', 'G', 'H', 'I', 'J', 'K'],
    ],
    [
      'directives without titles',
      ':::zone pivot="a"\n::: {.b}\n:::{figure} c.png\n::: include d/e.md\n:::row:::\n- [!INCLUDE [f](g)]\n\n--8<-- "h"\n\n[TOC]',
      [],
    ],
    [
      'titles and bodies of admonitions',
      '!!! note inline "A *b*"\n\n    C\n\n    - D\n\n          code\n\n    ??? tip "E"\n        F\n\n!!! info ""\n    G\n\n???+ bug\n    | H |\n    |---|\n',
      ['A <1>b</1>', 'C', 'D', 'E', 'F', 'G', 'H'],
    ],
    [
      'tabs',
      '=== "A"\n    B\n\n    ```\n    code\n    ```\n\n===! "C `d`"\n\n    E\n\n- F\n\n    === "G"\n        H',
      ['A', 'B', 'C <1/>', 'E', 'F', 'G', 'H'],
    ],
    [
      'callouts',
      '> [!warning] A *b*\n> C\n\n> [!faq]- D\n> > [!NOTE]\n> > E\n\n- > [!info|wide]+ F\n  > G\n\n[!H] i',
      ['A <1>b</1>', 'C', 'D', 'E', 'F', 'G', '[!H] i'],
    ],
    [
      'blocks that are too far to the right are text',
      'A\n      : b\n      !!! note "C"\n      d',
      ['A : b', 'd'],
    ],
    ['blocks in code', '```\nA\nB\n: c\n!!! note\n```\n\n    === "D"\n\n<div>\n: e\n</div>', [': e']],
    ['numbers stay', '1\n\n| 2 | ![](x) |\n|--|--|\n', []],
    [
      'attributes of HTML and components',
      'A <Badge type="tip" text="b &amp; c" :title="d e" /> f\n\n<img src="g.png" alt="H i" title=\'"J"\' width=1>\n\n<!-- <p title="k l"> -->\n\n<x-tab label="M" name="n o" tip="p-q" alt="r/s.png" text="true"></x-tab>\n\n<input type="submit" value="T">\n\n`<a title="u v">`\n',
      ['A <1/> f', 'b & c', 'H i', '"J"', 'M', 'T'],
    ],
    [
      'attributes of shortcodes, directives and braces',
      '{{< figure src="a.png" alt="B c" class="d e" >}}\n\n{% include f.html caption="G" %}\n\n![](h){fig-alt="I j" width=1}\n\n::: {.callout-tip title="K"}\nL\n:::\n\n```\n{{< figure alt="m n" >}}\n```\n',
      ['B c', 'G', 'I j', 'K', 'L'],
    ],
    [
      'directives of MyST',
      '```{note}\n:class: a b\nC\n```\n\n~~~{admonition} D *e*\n---\nname: f g\n---\nH\n\n```js\n// ```{note}\ni\n```\n~~~\n\n:::{figure} j.png\n:alt: K l\n:name: m\n\nN\n:::\n\n````{tab-set}\n```{tab-item} O\nP\n```\n````\n\n- Q\n\n  ```{warning} R\n  S\n  ```\n',
      ['C', 'D <1>e</1>', 'H', 'K l', 'N', 'O', 'P', 'Q', 'R', 'S'],
    ],
    [
      'directives of MyST with code',
      '```{code-block} python\n:caption: A b\n:label: c\nd e\n```\n\n:::{math}\n:label: f\ng h\n:::\n\n````\n```{note}\ni\n```\n````\n',
      ['A b'],
    ],
    [
      'fences with a title, and cells of Quarto',
      '```js title="A b" {1}\nc\n```\n\n```sh title="d/e.sh"\nf\n```\n\n```{r g, fig.cap="H i"}\n#| label: j\n#| fig-alt: "K"\n#| tbl-cap: L m\n#| eval: true\nn\n```\n',
      ['A b', 'H i', 'K', 'L m'],
    ],
    [
      'attributes of MDX',
      '<A {...b} title={"C d"} label={e} note={f("g h")} items={["i j"]} alt="">\n\n<p title="K" className="l m">N</p>\n\n</A>\n\nO <P tip="Q" /> <R label="S">t</R>\n',
      ['C d', 'K', 'N', 'O <1/> <2>t</2>', 'Q', 'S'],
    ],
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
    ['a list of definitions', 'Apple\n:   A red\n    fruit\n: B\n', 'Apple§\n:   A§ red§ fruit§\n: B§\n'],
    ['links of wikis', 'A [[b c]], [[d|e f]] and ![[g.png]]\n', 'A§ [[b c]], [[d|e§ f§]] and§ ![[g.png]]\n'],
    ['an abbreviation', '*[HTML]: Hyper text\n', '*[HTML]: Hyper§ text§\n'],
    [
      'lists of attributes',
      '# A {#b}\n\nC [d e]{.f #g} [h](i){ .j } k\n{: .l }\n',
      '# A§ {#b}\n\nC§ [d§ e§]{.f #g} [h§](i){ .j } k§\n{: .l }\n',
    ],
    [
      'admonitions',
      '!!! note "A b"\n    C\\\n    d\n\n:::tip[E]\nF\n:::\n',
      '!!! note "A§ b§"\n    C§\\\n    d§\n\n:::tip[E§]\nF§\n:::\n',
    ],
    ['tabs', '=== "A"\n    B\n\n=== "C"\n\n\tD\n', '=== "A§"\n    B§\n\n=== "C§"\n\n\tD§\n'],
    ['a callout', '> [!warning]- A\r\n> B\r\n', '> [!warning]- A§\r\n> B§\r\n'],
  ])('keeps the signs of %s', async (_, file, expected) => {
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
