import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { describe, expect, it } from 'vitest';
import { type InlineContent, plainText } from '#server/formats/inline-content.ts';
import * as md from '#server/formats/markdown.ts';
import { mdx } from '#server/formats/markdown.ts';
import { listOf } from './cases.ts';
import { textsOf, translate, unchanged } from './markup-files.ts';

/** Whether an attribute is a title, which is a text if it is a string. */
const isTitle = (one: { type: string; name?: string; value?: unknown }): boolean =>
  one.name === 'title' && typeof one.value === 'string';

/** The code that MDX finds in a file: modules, expressions, components with their attributes but no titles, and addresses that run. */
function codeOf(file: string): string[] {
  const code: string[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === 'mdxjsEsm') code.push(`module ${node.value}`);
    else if (node.type === 'mdxFlowExpression' || node.type === 'mdxTextExpression')
      code.push(`expression ${node.value}`);
    else if (node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement')
      code.push(
        `element ${JSON.stringify([node.name, node.attributes.map(({ data: _, position: __, ...one }) => (isTitle(one) ? 'title' : one))], (key, value) => (key === 'data' ? undefined : value))}`,
      );
    else if ('url' in node && /^(?:javascript|vbscript|data):/i.test(node.url))
      code.push(`address ${node.url}`);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(
    fromMarkdown(file, {
      extensions: [gfm(), frontmatter(['yaml']), mdxjs()],
      // The transforms find addresses in texts, as readers of a page do.
      mdastExtensions: [...gfmFromMarkdown().map(({ transforms: _, ...one }) => one), mdxFromMarkdown()],
    }),
  );
  return code.sort();
}

const attack = 'Bonjour {(globalThis.x=1,"")}';

const files = {
  plain: 'Hello\n\n# Title\n\n- item\n\n> quote\n\n| A | b |\n|---|---|\n| cell | **bold** text |\n',
  breaks: 'One  \nTwo\\\nthree\n\nSetext\n===\n',
  links:
    'See [a page](https://a.b "The title") and ![a picture](x.png "Other") or [one][r]\n\n[r]: https://c.d\n',
  code: "import A from 'b'\n\nexport const c = { d: 'e' };\n\n<A title=\"f\" on={() => <b>g</b>}>\n\n  Hello {i} <A>inner</A> *text*\n\n</A>\n\nAnd {c.d} `{code()}`\n\n{/* note */}\n",
  front: '---\ntitle: Hello\ndescription: "Some text"\n---\n\nText {x} text\n',
  addresses: 'See https://a.b/c and **www.d.e** or g@h.i now\n',
  // Site generators read this file as MDX, also if it is named `.md`.
  expressions: 'Hello {name}, you have {n.length} and `{evil()}` items\n\nText \\{name} with {"}"} here\n',
};

const token = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...listOf('mdx-code.yaml', 'pieces of a random file')),
  },
  { weight: 2, arbitrary: fc.constantFrom('word', ' ', 'é', '。', 'import', 'export ') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{{x}}', '{% x %}', '<script>', '${x}', '<% x %>', 'onload=x', '{\u200b{x}}'),
  },
);
const text = fc.array(token, { minLength: 1, maxLength: 5 }).map((tokens) => tokens.join(''));

/** Puts hostile texts in place of the texts of a source. */
const withTexts = (texts: readonly string[]) => {
  let next = 0;
  return (source: InlineContent): InlineContent =>
    source.map((item) => (typeof item === 'string' ? texts[next++ % texts.length]! : item));
};

describe('a translation never becomes code of MDX', () => {
  it.each(Object.entries(files))('in the file %s: an expression, a component, a module', async (_, file) => {
    for (const hostile of [attack, '{x}', '<X/>', 'import a from "b"', 'export const a = 1', '![{x}](y)'])
      for (const format of [mdx, md]) {
        const translated = await translate(format, file, () => [hostile]).catch(() => undefined);
        if (translated)
          for (const code of codeOf(translated)) expect.soft(codeOf(file), translated).toContain(code);
      }
  });

  it('any translation of a file named .mdx has the same code as the source', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(files)),
        fc.array(text, { minLength: 1, maxLength: 6 }),
        async (file, texts) => {
          const translated = await translate(mdx, file, withTexts(texts));
          expect(codeOf(translated), translated).toEqual(codeOf(file));
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);

  it('any translation of a file named .md that is read as MDX has only code of the source', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(files)),
        fc.array(text, { minLength: 1, maxLength: 6 }),
        async (file, texts) => {
          const translated = await translate(md, file, withTexts(texts));
          const known = new Set(codeOf(file));
          expect(
            codeOf(translated).filter((code) => !known.has(code)),
            translated,
          ).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);
});

describe('expressions of the source', () => {
  it('stay expressions if a translation of Markdown keeps them', async () => {
    const file = 'Hello {name}, {n.length} and {"}"}\n';
    const translated = await translate(md, file, () => ['{n.length} pour {name}, {"}"} et {other}']);
    expect(translated).toBe('{n.length} pour {name}, {"}"} et \\{other}\n');
  });

  it('are tags in a file named .mdx, whatever else the file has', async () => {
    expect(await textsOf(mdx, 'Hello {name} <B/>')).toEqual(['Hello <1/> <2/>']);
    expect(await translate(mdx, 'Hello {name} <B/>', unchanged)).toBe('Hello {name} <B/>');
    // What is not valid MDX is read as Markdown.
    expect(await textsOf(mdx, 'A <1 {name}')).toEqual(['A <1 {name}']);
  });
});

it('a translation shows the same in Markdown, although its braces are escaped', async () => {
  const translated = await translate(md, 'Text\n', () => [attack]);
  expect(translated).toBe('Bonjour \\{(globalThis.x=1,"")}\n');
  expect((await md.extract(Buffer.from(translated))).segments.map(({ source }) => plainText(source))).toEqual(
    [attack],
  );
});
