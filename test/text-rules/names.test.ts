import { describe, expect, test } from 'vitest';
import type { LayoutFormat } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { recordingEngine, useDocuments } from '../documents/workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
const ownNames = {
  keys: ['cta line', 'ribbon', 'head', 'content', 'onload'],
  attributes: ['data-hint', 'greeting', 'on-click', 'sty-le', 'hr-ef', 'xlink-href'],
};

async function textsOf(format: LayoutFormat, file: string, options: Fields): Promise<string[]> {
  const { segments, outcome } = await format.extract(Buffer.from(file), { ...languages, ...options });
  expect(outcome?.unaccounted).toBe(0);
  return segments.map(({ source }) => plainText(source));
}

describe('a name of a workspace', () => {
  test.each<[string, LayoutKind, string, string[]]>([
    [
      'front matter of any depth',
      'md',
      '---\na:\n  - b: {ctaLine: Buy now}\nribbon: New\n---\n',
      ['Buy now', 'New'],
    ],
    ['a list', 'md', '---\nribbon:\n  - Fresh\n  - Hot deals\n---\n', ['Fresh', 'Hot deals']],
    ['a key around which values are code', 'md', '---\nattrs:\n  ribbon: Hot deals\n---\n', ['Hot deals']],
    ['TOML', 'md', '+++\n[a.b]\ncta_line = "Buy now"\n+++\n', ['Buy now']],
    ['JSON before Markdown', 'md', '{"a": {"cta-line": "Buy now"}}\n', ['Buy now']],
    ['MDX', 'mdx', '<Box greeting="Hello you" other="Not me" />\n', ['Hello you']],
    ['a string in braces of MDX', 'mdx', '<Box greeting={"Hello you"} />\n', ['Hello you']],
    ['a component in Markdown', 'md', '<my-box greeting="Hello you"></my-box>\n', ['Hello you']],
    ['an element of HTML in Markdown', 'md', '<div data-hint="Hello you"></div>\n', ['Hello you']],
    ['a shortcode', 'md', '{{< box greeting="Hello you" >}}\n', ['Hello you']],
    ['braces after Markdown', 'md', '![](a.png){greeting="Hello you"}\n', ['Hello you']],
    ['HTML', 'html', '<p data-hint="Hello you" data-other="Not me">A</p>', ['A', 'Hello you']],
    ['a custom element', 'html', '<my-box greeting="Hello you">A</my-box>', ['A', 'Hello you']],
  ])('has texts in %s', async (_, kind, file, expected) => {
    const format = await layoutFormats[kind]();
    expect((await textsOf(format, file, { ownNames })).sort()).toEqual(expected.toSorted());
    expect(await textsOf(format, file, {})).not.toEqual(expect.arrayContaining([expected.at(-1)]));
  });

  test.each<[string, LayoutKind, string]>([
    ['an address', 'md', '---\nribbon: https://example.org/a\nctaLine: some_id\n---\n'],
    [
      'a program of the page',
      'md',
      '---\nhead:\n  - alert(the user)\n  - tag: script\n    content: alert(the user)\n    attrs: {onload: alert the user}\n---\n',
    ],
    ['an expression', 'html', '<p :greeting="Hello + you" v-bind:greeting="a b" [greeting]="c d"></p>'],
    [
      'what browsers read, in any spelling of the name',
      'html',
      '<p onclick="alert the user" style="a: b c" HREF="to the page" xlink:href="a b"></p>',
    ],
    ['a declaration for browsers', 'html', '<meta http-equiv="refresh" greeting="a b">'],
    ['what components read, in any spelling', 'mdx', '<Box onClick="alert the user" />\n'],
    ['code of a template', 'html', '<p data-hint="{{ name }}"></p>'],
    ['an expression of MDX', 'mdx', '<Box greeting={hello(you)} />\n'],
  ])('leaves %s as it is', async (_, kind, file) => {
    expect(await textsOf(await layoutFormats[kind](), file, { ownNames })).toEqual([]);
  });
});

const save = async (fields: Fields) => {
  const input = { keys: [], attributes: [], placeholders: [], ...fields };
  const { status } = await viaRpc(
    app,
    { path: 'textRules.save', type: 'mutation' },
    { input, headers: mine.admin },
  );
  expect(status).toBe(200);
};

const page = '---\nribbon: Hot deals\ntitle: Shop\n---\n\nText\n';
const form = (fields: Fields = {}) => ({
  source_document: new File([page], 'page.md', { type: 'text/markdown' }),
  ...fields,
});

test('a job is written with the names with which it was read, whatever the workspace saves in between', async () => {
  await save({ keys: ['ribbon'] });
  const { body } = await mine.send(form());
  expect(body.request.text_names).toEqual({ keys: ['ribbon'], attributes: [] });
  engine.reply = async ({ segments }) => {
    await save({ keys: [] });
    return segments.map((text) => `fr of ${text}`);
  };
  await mine.run(body.id);
  expect(await (await mine.download(body.id)).text()).toBe(
    '---\nribbon: fr of Hot deals\ntitle: fr of Shop\n---\n\nfr of Text\n',
  );
  // The editor writes the file again.
  const [first] = (await mine.segments(body.id)).segments;
  const corrections = [{ region_id: first.region_id, target_text: 'Bonnes affaires' }];
  expect((await mine.reviewDocument(body.id, { corrections })).status).toBe(200);
  await expect
    .poll(async () => (await mine.download(body.id)).text())
    .toBe('---\nribbon: Bonnes affaires\ntitle: fr of Shop\n---\n\nfr of Text\n');
});

test('the next version of a file has the names that are saved then, and keeps its translations', async () => {
  const first = await mine.send(form({ wait: 'true' }));
  expect(first.body.request).not.toHaveProperty('text_names');
  await save({ keys: ['ribbon'] });
  engine.asked.length = 0;
  const next = await mine.send(form({ wait: 'true', update_of: first.body.id }));
  expect(engine.texts()).toEqual(['Hot deals']);
  expect(await (await mine.download(next.body.id)).text()).toContain('ribbon: fr of Hot deals');
});

test('a request that is sent again after a change of the names is another request', async () => {
  const sent = () => mine.send(form({ idempotency_key: 'once' }));
  const first = await sent();
  expect((await sent()).body.warnings).toEqual(first.body.warnings);
  await save({ keys: ['ribbon'] });
  const again = await sent();
  expect(again.body.id).toBe(first.body.id);
  expect(again.body.warnings).toEqual([expect.objectContaining({ code: 'idempotency_request_differs' })]);
});

test('an estimate counts the texts of the names', async () => {
  const estimated = async () => (await mine.send(form({ dry_run: 'true' }))).body.billable_characters;
  const before = await estimated();
  await save({ keys: ['ribbon'] });
  expect(await estimated()).toBe(before + 'Hot deals'.length);
});

test('other formats have no names, so that their requests stay the same', async () => {
  await save({ keys: ['ribbon'], attributes: ['data-hint'] });
  const { body } = await mine.send({ source_document: new File(['{"ribbon": "Hot deals"}'], 'a.json') });
  expect(body.request).not.toHaveProperty('text_names');
});
