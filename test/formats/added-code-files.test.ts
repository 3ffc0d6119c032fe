import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { listOf } from './cases.ts';
import { textsOf, translate } from './markup-files.ts';

const files = {
  json: '{"a": "Hello world"}',
  yaml: 'a: Hello world\n',
  po: 'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "Hello world"\nmsgstr ""\n',
  properties: 'a=Hello world\n',
  srt: '1\n00:00:01,000 --> 00:00:09,000\nHello world\n',
  vtt: 'WEBVTT\n\n00:01.000 --> 00:09.000\nHello world\n',
  android: '<resources>\n<string name="a">Hello world</string>\n</resources>\n',
  strings: '"a" = "Hello world";\n',
  stringsdict:
    '<plist><dict><key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>Hello world</string></dict></dict></plist>',
  xcstrings: '{"sourceLanguage":"en","strings":{"Hello world":{}},"version":"1.0"}',
  xliff:
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="fr" original="a" datatype="plaintext"><body><trans-unit id="a"><source>Hello world</source></trans-unit></body></file></xliff>',
  html: '<p>Hello world</p>',
  md: 'Hello world\n',
  mdx: 'Hello world\n',
  txt: 'Hello world\n',
} satisfies Partial<Record<LayoutKind, string>>;

describe('a rebuilt file has no code that the source lacks, whoever wrote the translation', () => {
  it.each(Object.entries(files))('%s', async (kind, file) => {
    const format = await layoutFormats[kind as LayoutKind]();
    const [segment] = (
      await format.extract(Buffer.from(file), { sourceLanguage: 'en', targetLanguage: 'fr' })
    ).segments;
    const rebuilt = async (text: string) => {
      const { bytes, findings } = await format.rebuild(Buffer.from(file), [{ ...segment!, target: [text] }], {
        ...{ sourceLanguage: 'en', targetLanguage: 'fr' },
      });
      return { text: Buffer.from(bytes).toString(), codes: findings.map(({ code }) => code) };
    };
    for (const code of [
      '{{evil}}',
      '{% evil %}',
      '<%= evil %>',
      '${evil}',
      '<script>evil',
      '<i onclick=evil>',
      '[x](javascript:evil)',
      '&#123;{evil}}',
    ]) {
      const { text, codes } = await rebuilt(`Bonjour ${code}`);
      expect.soft(text, code).not.toContain('evil');
      expect.soft(codes, code).toContain('added_code_not_written');
    }
    const harmless = await rebuilt('Bonjour le monde');
    expect(harmless.text).toContain('Bonjour le monde');
    expect(harmless.codes).not.toContain('added_code_not_written');
  });
});

/** The elements of a page with the names and values of their attributes, without the texts that are translated. */
function elementsOf(page: string): string[] {
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node)
      found.push(
        `${node.tagName} ${node.attrs.map(({ name, value }) => (/^(?:alt|title|placeholder|aria-label|lang|dir)$/.test(name) ? name : `${name}=${value}`)).join(' ')}`,
      );
    if ('tagName' in node && (node.tagName === 'script' || node.tagName === 'style'))
      found.push(node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''));
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(page));
  return found;
}

const token = fc.constantFrom(...listOf('added-code-files.yaml', 'pieces of a random file'));
const page =
  '<!doctype html><html lang="en"><head><title>Title</title><style>p {}</style><script>let a = "b";</script></head><body><p onclick="a()">Hello <b>bold <i>text</i></b> {{ name }} and</p><img alt="A picture" title=\'It\' src=x><input placeholder=Name><textarea>Text</textarea><a href="x" title="T">link</a><svg><title>S</title><text>t</text></svg></body></html>';

it('any translation of a page has the same elements, attributes and scripts as the source', async () => {
  const html = await layoutFormats.html();
  expect(await textsOf(html, page)).not.toEqual([]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(token, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 5 },
      ),
      async (texts) => {
        let next = 0;
        const hostile = (source: InlineContent): InlineContent =>
          source.map((item) => (typeof item === 'string' ? texts[next++ % texts.length]! : item));
        const translated = await translate(html, page, hostile);
        expect(elementsOf(translated), translated).toEqual(elementsOf(page));
        expect(translated.match(/\{\{|\{%/g)).toEqual(['{{']);
      },
    ),
    { numRuns: 400 },
  );
});
