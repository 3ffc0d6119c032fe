import { beforeEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const page = (body: string) => `<html lang="en"><body>${body}</body></html>`;
const poHeader = 'msgid ""\nmsgstr ""\n"Language: en\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n';
const poDays = 'msgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] ""\nmsgstr[1] ""\n';

/**
 * Two versions of a source, the edits in its first translation, the second translation, and the texts that the second run
 * sends. The stub engine puts the language before a text.
 */
interface Case {
  name?: string;
  file: string;
  to?: string;
  sources: readonly [string, string];
  edits: readonly (readonly [string, string])[];
  result: string;
  sent: readonly string[];
}

const cases: Case[] = [
  {
    file: 'nested.json',
    sources: [
      json({ menu: { open: 'Open', close: 'Close' }, url: 'https://example.com', bye: 'Bye' }),
      json({
        bye: 'Bye',
        menu: { open: 'Open', close: 'Close all', more: 'More' },
        url: 'https://example.com',
      }),
    ],
    edits: [
      ['[de] Open', 'Öffnen'],
      ['example.com', 'example.de'],
    ],
    result: json({
      bye: '[de] Bye',
      menu: { open: 'Öffnen', close: '[de] Close all', more: '[de] More' },
      url: 'https://example.de',
    }),
    sent: ['Close all', 'More'],
  },
  {
    file: 'placeholders.json',
    sources: [
      json({ a: '{count, plural, one {# file} other {# files}}', b: 'Hello {name}', c: 'Bye' }),
      json({ a: '{count, plural, one {# file} other {# files}}', b: 'Hello {name}', c: 'Good bye' }),
    ],
    edits: [
      ['"{count, plural, one {[de] # file} other {[de] # files}}"', '"Dateien: {count}"'],
      ['[de] Hello {name}', 'Hallo!'],
    ],
    result: json({ a: 'Dateien: {count}', b: 'Hallo!', c: '[de] Good bye' }),
    sent: ['Good bye'],
  },
  {
    file: 'plurals.json',
    to: 'pl',
    sources: [
      json({ file_one: '{{count}} file', file_other: '{{count}} files', x: 'Old' }),
      json({ file_one: '{{count}} file', file_other: '{{count}} files', x: 'New' }),
    ],
    edits: [
      ['[pl] {{count}} file"', 'plik"'],
      ['"file_few": "[pl] {{count}} files"', '"file_few": "{{count}} pliki"'],
    ],
    result: '"file_few": "{{count}} pliki",\n  "file_many": "[pl] {{count}} files",\n  "x": "[pl] New"',
    sent: ['New'],
  },
  {
    file: 'rails.yml',
    sources: [
      'en:\n  # Title\n  title: Title\n  body: |\n    Two\n    lines\n  days:\n    one: Day\n    other: Days\n',
      'en:\n  # Title\n  title: The title\n  body: |\n    Two\n    lines\n  days:\n    one: Day\n    other: Days\n',
    ],
    edits: [
      ['"[de] Days"', 'Tage'],
      ['    [de] Two\n', '    Zwei\n'],
    ],
    result:
      'de:\n  # Title\n  title: "[de] The title"\n  body: |\n    Zwei\n    lines\n  days:\n    one: "[de] Day"\n    other: Tage\n',
    sent: ['The title'],
  },
  {
    file: 'messages.po',
    sources: [
      'msgid ""\nmsgstr ""\n"Language: en\\n"\n\nmsgid "Open"\nmsgstr ""\n\nmsgctxt "verb"\nmsgid "Open"\nmsgstr ""\n\nmsgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] ""\nmsgstr[1] ""\n\nmsgid "Old"\nmsgstr ""\n',
      'msgid ""\nmsgstr ""\n"Language: en\\n"\n\nmsgid "Open"\nmsgstr ""\n\nmsgctxt "verb"\nmsgid "Open"\nmsgstr ""\n\nmsgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] ""\nmsgstr[1] ""\n\nmsgid "New"\nmsgstr ""\n',
    ],
    edits: [
      ['msgctxt "verb"\nmsgid "Open"\nmsgstr "[de] Open"', 'msgctxt "verb"\nmsgid "Open"\nmsgstr "Öffnen"'],
      ['msgstr[0] "[de] %d day"', 'msgstr[0] "ein Tag"'],
      ['"Language: de\\n"', '"Language: de\\n"\n"Last-Translator: Ada\\n"'],
    ],
    result: 'msgctxt "verb"\nmsgid "Open"\nmsgstr "Öffnen"',
    sent: ['New'],
  },
  {
    file: 'page.md',
    sources: [
      '---\ntitle: Page\n---\n\n# Start\n\nSee [end](#the-end) and *more*.\n\n- One\n- Two\n\n## The end\n\nLast.\n',
      '---\ntitle: Page\n---\n\n# Start\n\nAdded.\n\nSee [end](#the-end) and *more*.\n\n- One\n- Three\n\n## The end\n\nLast.\n',
    ],
    edits: [
      ['\\[de] Start', 'Anfang'],
      ['- \\[de] One', '- Eins, **betont** und [neu](https://example.org)'],
      ['\\[de] The end', 'Das Ende'],
    ],
    result:
      '---\ntitle: "[de] Page"\n---\n\n# Anfang\n\n\\[de] Added.\n\n\\[de] See [end](#the-end) and *more*.\n\n- Eins, **betont** und [neu](https://example.org)\n- \\[de] Three\n\n<a id="the-end"></a>\n\n## Das Ende\n\n\\[de] Last.\n',
    sent: ['Added.', 'Three'],
  },
  {
    file: 'page.html',
    sources: [
      '<html lang="en"><body><p>One</p><p title="Tip">Two</p></body></html>',
      '<html lang="en"><body><p>One</p><p>More</p><p title="Tip">Two</p></body></html>',
    ],
    edits: [
      ['[de] One', 'Eins &amp; <b>mehr</b>'],
      ['[de] Tip', 'Rat'],
    ],
    result:
      '<html lang="de"><body><p>Eins &amp; <b>mehr</b></p><p>[de] More</p><p title="Rat">[de] Two</p></body></html>',
    sent: ['More'],
  },
  {
    file: 'app.properties',
    sources: ['a=Open\nb=Close\n', 'b=Close it\na=Open\n'],
    edits: [['[de] Open', 'Auf']],
    result: 'b=[de] Close it\na=Auf\n',
    sent: ['Close it'],
  },
  {
    name: 'an attribute in other quotes is written with those of the source',
    file: 'page.html',
    sources: [page('<p title="Tip">One</p>'), page("<p title='Tip'>Two</p>")],
    edits: [['"[de] Tip"', '"Rat\' onclick=\'evil()"']],
    result: "<p title='Rat&#39; onclick=&#39;evil()'>",
    sent: ['Two'],
  },
  {
    name: 'an attribute without quotes gets quotes',
    file: 'page.html',
    sources: [page('<p title="Tip">One</p>'), page('<p title=Tip>Two</p>')],
    edits: [['"[de] Tip"', '"Rat onclick=evil()"']],
    result: '<p title="Rat onclick=evil()">',
    sent: ['Two'],
  },
  {
    name: 'a text that is repeated keeps its edit if one is removed before',
    file: 'list.md',
    sources: ['- X\n- Y\n- X\n- Y\n- X\n', '- Y\n- X\n- Y\n- X\n- Z\n'],
    edits: [['\\[de] Y', 'Ypsilon']],
    result: '- Ypsilon\n- \\[de] X\n- \\[de] Y\n- \\[de] X\n- \\[de] Z\n',
    sent: ['Z'],
  },
  {
    name: 'a paragraph gets the prefix of its new quote',
    file: 'quote.md',
    sources: ['> One\n> two\n', '- One\n  two\n'],
    edits: [['> \\[de] One two', '> Eins\n> zwei']],
    result: '- Eins\n  zwei\n',
    sent: [],
  },
  {
    name: 'an item of an array keeps its edit if one is added before',
    file: 'list.json',
    sources: [json({ list: ['One', 'Two'] }), json({ list: ['Zero', 'One', 'Two'] })],
    edits: [['[de] Two', 'Zwei']],
    result: json({ list: ['[de] Zero', '[de] One', 'Zwei'] }),
    sent: ['Zero'],
  },
  {
    name: 'an item of a YAML list keeps its edit if one is removed before',
    file: 'list.yml',
    sources: ['list:\n  - One\n  - Two\n', 'list:\n  - Two\n'],
    edits: [['"[de] Two"', 'Zwei']],
    result: 'list:\n  - Zwei\n',
    sent: [],
  },
  {
    name: 'a key with a dot is not the path with the same names',
    file: 'keys.json',
    sources: [
      json({ 'a.b': 'One', a: { b: 'Two' }, x: 'X' }),
      json({ a: { b: 'Two' }, 'a.b': 'One', x: 'Y' }),
    ],
    edits: [['[de] Two', 'Zwei']],
    result: json({ a: { b: 'Zwei' }, 'a.b': '[de] One', x: '[de] Y' }),
    sent: ['Y'],
  },
  {
    name: 'a context is not a part of the text',
    file: 'context.po',
    sources: [
      `${poHeader}msgctxt "a"\nmsgid "b"\nmsgstr ""\n\nmsgid "a: b"\nmsgstr ""\n\nmsgid "Old"\nmsgstr ""\n`,
      `${poHeader}msgid "a: b"\nmsgstr ""\n\nmsgctxt "a"\nmsgid "b"\nmsgstr ""\n\nmsgid "New"\nmsgstr ""\n`,
    ],
    edits: [['msgid "a: b"\nmsgstr "[de] a: b"', 'msgid "a: b"\nmsgstr "mein"']],
    result: 'msgid "a: b"\nmsgstr "mein"\n\nmsgctxt "a"\nmsgid "b"\nmsgstr "[de] b"',
    sent: ['New'],
  },
  {
    name: 'a plural form that was edited stays if another one is empty',
    file: 'plural.po',
    sources: [`${poHeader}${poDays}`, `${poHeader}${poDays}\nmsgid "New"\nmsgstr ""\n`],
    edits: [
      ['msgstr[0] "[de] %d day"', 'msgstr[0] "ein Tag"'],
      ['msgstr[1] "[de] %d days"', 'msgstr[1] ""'],
    ],
    result: 'msgstr[0] "ein Tag"\nmsgstr[1] "[de] %d days"',
    sent: ['New'],
  },
];

const folderOf = (at: number) => `${at + 1}/`;
const targetOf = ({ file, to = 'de' }: Case) => file.replace('.', `.${to}.`);
const merged: string[] = [];
let runs: Awaited<ReturnType<typeof runAll>> | undefined;

/** Translates all cases in one folder, edits the translations, changes the sources, and translates again. */
async function runAll() {
  const mine = await openProject(app);
  const write = async (version: 0 | 1) => {
    for (const [at, { file, sources }] of cases.entries())
      await mine.write(folderOf(at) + file, sources[version]);
  };
  const groups = cases.map(({ file, to = 'de' }, at) => ({ files: [folderOf(at) + file], to: [to] }));
  await mine.write('lingualoop.json', json({ groups }));
  await write(0);
  const run = (...options: string[]) => mine.lingualoop(['translate', ...options]);
  const first = await run();
  const billed = await mine.billed();
  for (const [at, one] of cases.entries()) {
    const path = folderOf(at) + targetOf(one);
    let edited = await mine.read(path);
    for (const [from, into] of one.edits) {
      expect(edited).toContain(from);
      edited = edited.replace(from, () => into);
    }
    await mine.write(path, edited);
  }
  await write(1);
  const stale = await run('--check');
  const second = await run();
  const sent = (await mine.billed()) - billed;
  const current = await run('--check');
  const third = await run();
  for (const [at, one] of cases.entries()) merged.push(await mine.read(folderOf(at) + targetOf(one)));
  return { first, stale, second, sent, current, third };
}

beforeEach(async () => {
  runs ??= await withWorkers(app, runAll);
});

test.each(
  cases.map((one, at) => ({ ...one, name: one.name ?? 'edited texts stay, and changed ones are sent', at })),
)('$file: $name', ({ at, edits, result, name }) => {
  expect(merged[at]).toContain(result);
  if (name.startsWith('edited')) for (const [, into] of edits) expect(merged[at]).toContain(into);
});

test('only changed texts are billed, and --check fails until they are translated', () => {
  const all = cases.length;
  const { first, stale, second, sent, current, third } = runs!;
  expect(first.err).toContain(`${all} translations written`);
  expect([stale.code, stale.out.trim().split('\n').length]).toEqual([1, all]);
  expect([second.code, second.err]).toEqual([0, expect.stringContaining(`${all} translations written`)]);
  expect(sent).toBe(cases.flatMap(({ sent }) => sent).join('').length);
  expect([current.code, third.err]).toEqual([
    0,
    expect.stringContaining(`0 translations written, ${all} current`),
  ]);
});
