import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', DEFAULT_MONTHLY_CHAR_LIMIT: '100000000' },
});

const langs = ['de', 'pt-BR', 'zh-Hans'];
const codes: Record<string, string> = { 'pt-BR': 'pt_BR', 'zh-Hans': 'zh-rCN' };
const words = ['ferry', 'path', 'garden', 'museum', 'ticket', 'window', 'market', 'bridge'];

/** The text of a key. In the second version, every 33rd text of all files has changed: 3 %. */
const textOf = (kind: string, n: number, isLater: boolean) => {
  const text = `The ${words[n % words.length]} ${n} of ${kind} opens soon.`;
  return isLater && n % 33 === 5 ? text.replace('soon', 'late') : text;
};
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** 500 keys of JSON in 5 files, 200 of YAML in 2, 200 of PO in 2, and 10 paragraphs of Markdown. */
const sources = (isLater: boolean): Record<string, string> => ({
  ...Object.fromEntries(
    numbers(5).map((file) => [
      `json/en/part-${file}.json`,
      JSON.stringify(
        Object.fromEntries(numbers(100).map((n) => [`key${n}`, textOf('JSON', file * 100 + n, isLater)])),
        null,
        2,
      ),
    ]),
  ),
  ...Object.fromEntries(
    numbers(2).map((file) => [
      `yaml/part-${file}.en.yml`,
      `en:\n${numbers(100)
        .map((n) => `  key${n}: ${textOf('YAML', file * 100 + n, isLater)}\n`)
        .join('')}`,
    ]),
  ),
  ...Object.fromEntries(
    numbers(2).map((file) => [
      `po/en/part-${file}.po`,
      `msgid ""\nmsgstr ""\n"Language: en\\n"\n\n${numbers(100)
        .map((n) => `msgid "${textOf('PO', file * 100 + n, isLater)}"\nmsgstr ""\n`)
        .join('\n')}`,
    ]),
  ),
  'docs/guide.md': numbers(10)
    .map((n) => `${textOf('Markdown', n, isLater)}\n`)
    .join('\n'),
});

const config = {
  from: 'en',
  to: langs,
  codes,
  groups: [
    { files: ['json/en/*.json'], output: 'json/{lang}/{name}{ext}' },
    {
      files: ['yaml/*.en.yml'],
      exclude: ['yaml/*.{de,pt_BR,zh-rCN}.yml'],
      output: '{dir}{lang}-{name}{ext}',
    },
    { files: ['po/en/*.po'], output: 'po/{lang}/{name}{ext}' },
    { files: ['docs/guide.md'], output: 'docs/{name}-{lang}{ext}' },
  ],
};

const targetOf = (source: string, lang: string) => {
  const code = codes[lang] ?? lang;
  if (source.startsWith('yaml/')) return source.replace('yaml/', `yaml/${code}-`);
  return source.startsWith('docs/')
    ? source.replace('.md', `-${code}.md`)
    : source.replace('/en/', `/${code}/`);
};

test('910 keys with edits in each language: a second run with 3 % of the sources changed keeps all edits, and bills at most 4 %', {
  timeout: 60_000,
}, async () => {
  const mine = await openProject(app, {
    ...sources(false),
    'lingualoop.json': JSON.stringify(config, null, 2),
  });
  await withWorkers(app, async () => {
    const argv = ['translate', '--jobs', '8'];
    const first = await mine.lingualoop(argv);
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('30 translations written')]);
    const billed = await mine.billed();
    expect(billed).toBeGreaterThan(910 * 25 * 3);
    expect((await mine.lingualoop(['translate', '--check'], { env: {} })).code).toBe(0);

    // Texts are edited in each file of each language. The sources of some change, too. In PO, a source is a key, so it does not.
    let edits = 0;
    const edited = new Map<string, string[]>();
    for (const source of Object.keys(sources(false)))
      for (const lang of langs) {
        const target = targetOf(source, lang);
        const own: string[] = [];
        const text = (await mine.read(target)).replaceAll(
          /(?<=\] The \w+ )(\d+) of (\w+) opens soon/g,
          (whole, n, kind) => {
            if (n % 20 !== 7 && !(n % 33 === 5 && n % 2 === 0 && kind !== 'PO')) return whole;
            own.push(`${n} of ${kind} in ${lang} edited ${++edits}`);
            return own.at(-1)!;
          },
        );
        edited.set(target, own);
        await mine.write(target, text);
      }
    expect(edits).toBeGreaterThan(150);
    for (const [path, content] of Object.entries(sources(true))) await mine.write(path, content);
    const before = await mine.lingualoop(['translate', '--check'], { env: {} });
    expect([before.code, before.out.trim().split('\n').length]).toEqual([1, 30]);

    const second = await mine.lingualoop(argv);
    expect([second.code, second.err]).toEqual([0, expect.stringContaining('30 translations written')]);
    let kept = 0;
    for (const [target, texts] of edited) {
      const content = await mine.read(target);
      for (const text of texts) if (content.includes(text)) kept++;
    }
    const share = ((await mine.billed()) - billed) / billed;
    expect(kept).toBe(edits);
    expect(share).toBeGreaterThan(0.01);
    expect(share).toBeLessThan(0.04);
    expect(await mine.read('json/zh-rCN/part-1.json')).toContain('opens late');
    expect((await mine.lingualoop(['translate', '--check'], { env: {} })).code).toBe(0);
  });
});
