import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { outputOf } from '#cli/files/project.ts';
import { joinPieces, splitParagraphs, textsOf } from '#cli/files/translate-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openProject } from './cli.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10' } });

const text = 'First paragraph.\n\nSecond one,\nwith two lines.\n';
const characters = 'First paragraph.Second one,\nwith two lines.'.length;

describe('lingualoop translate', () => {
  test('writes the translations, and keeps blank lines and line breaks', async () => {
    const mine = await openProject(app, { 'docs/a.txt': '\ufeffHello\r\n\r\n  Good morning\r\n' });
    const { code, out, err } = await mine.lingualoop(['translate', 'docs', '--to', 'fr,de']);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('✓ docs/a.txt → fr (docs/a.fr.txt)');
    expect(err).toContain('2 translations written, 0 current.\n');
    expect(await mine.read('docs/a.fr.txt')).toBe('\ufeff[fr] Hello\r\n\r\n  [fr] Good morning\r\n');
    expect(await mine.files()).toEqual([
      'docs/a.de.txt',
      'docs/a.fr.txt',
      'docs/a.txt',
      'lingualoop.lock.json',
    ]);
  });

  test('translates only what has changed, by its content', async () => {
    const mine = await openProject(app, { 'a.txt': text, 'b.txt': 'Good evening' });
    const argv = ['translate', '.', '--to', 'fr'];
    await mine.lingualoop(argv);
    const first = await mine.billed();
    expect(first).toBe(characters + 12);
    // The same content again, and a new time.
    await mine.write('a.txt', text);
    expect((await mine.lingualoop(argv)).err).toContain('0 translations written, 2 current.');
    await mine.write('a.txt', `${text}\nThird.\n`);
    expect((await mine.lingualoop(argv)).err).toContain('1 translation written, 1 current.');
    // Only the new paragraph is billed.
    expect((await mine.billed()) - first).toBe(6);
    expect(await mine.read('a.fr.txt')).toContain('[fr] Third.');
  });

  test('a paragraph that moves to another file is not billed again', async () => {
    const mine = await openProject(app, { 'a.txt': text });
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    await mine.write('b.txt', 'First paragraph.');
    await mine.lingualoop(['translate', 'a.txt', 'b.txt', '--to', 'fr']);
    expect(await mine.billed()).toBe(characters);
  });

  test('a translation that was deleted is written again, and is not billed again', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    const { unlink } = await import('node:fs/promises');
    await unlink(`${mine.folder}/a.fr.txt`);
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    expect([await mine.read('a.fr.txt'), await mine.billed()]).toEqual(['[fr] Hello', 5]);
  });

  test('a translation that was changed by hand is kept, unless --force is set', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello', 'a.de.txt': 'Von Hand' });
    const argv = ['translate', 'a.txt', '--to', 'fr,de'];
    const first = await mine.lingualoop(argv);
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringContaining('a.de.txt was changed by hand and is kept'),
    ]);
    await mine.write('a.fr.txt', 'Bonjour');
    await mine.write('a.txt', 'Hello again');
    await mine.lingualoop(argv);
    expect([await mine.read('a.fr.txt'), await mine.read('a.de.txt')]).toEqual(['Bonjour', 'Von Hand']);
    await mine.lingualoop([...argv, '--force']);
    expect([await mine.read('a.fr.txt'), await mine.read('a.de.txt')]).toEqual([
      '[fr] Hello again',
      '[de] Hello again',
    ]);
  });

  test('names that are also patterns, and absolute paths, name their files', async () => {
    const names = ['report (1).txt', '[ab].txt', '!a.txt', 'a{b}.txt'];
    const files = Object.fromEntries(names.map((name) => [name, name]));
    const mine = await openProject(app, { ...files, 'a.txt': 'Not named', 'docs/a.txt': 'Hello' });
    const argv = ['translate', ...names, `${mine.folder}/docs/`, '--to', 'fr'];
    expect((await mine.lingualoop(argv)).err).toContain('5 translations written, 0 current.\n');
    expect(await mine.read('a{b}.fr.txt')).toBe('[fr] a{b}.txt');
    // A shell also inserts the lock file for `*`.
    argv.push('lingualoop.lock.json');
    expect((await mine.lingualoop(argv)).err).toContain('0 translations written, 5 current.\n');
    const all = await mine.lingualoop(['translate', mine.folder, '--to', 'fr']);
    expect(all.err).toContain('1 translation written, 5 current.\n');
  });

  test('other options translate again', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    const formal = await mine.lingualoop(['translate', 'a.txt', '--to', 'fr', '--tone', 'formal']);
    expect(formal.err).toContain('1 translation written');
    expect(await mine.billed()).toBe(10);
  });

  test('PDF, Word and Excel files keep their layout, and a second run bills nothing', async () => {
    const workbook = new Uint8Array(await readFile('examples/translate-document/menu.xlsx'));
    const pdf = new Uint8Array(await readFile('examples/files/notice.pdf'));
    const mine = await openProject(app, { 'menu.xlsx': workbook, 'notice.pdf': pdf });
    const { withWorkers } = await import('#test/translation-memory/background.ts');
    await withWorkers(app, async () => {
      const argv = ['translate', '.', '--to', 'fr', '--json'];
      const { code, out } = await mine.lingualoop(argv);
      expect([code, JSON.parse(out).map(({ status }: { status: string }) => status)]).toEqual([
        0,
        ['written', 'written'],
      ]);
      const billed = await mine.billed();
      const { unlink } = await import('node:fs/promises');
      await unlink(`${mine.folder}/lingualoop.lock.json`);
      await mine.lingualoop([...argv, '--force']);
      expect(await mine.billed()).toBe(billed);
    });
    expect((await mine.read('menu.fr.xlsx')).slice(0, 2)).toBe('PK');
    expect((await mine.read('notice.fr.pdf')).slice(0, 5)).toBe('%PDF-');
  });

  test('a text that awaits review is written when it is published', async () => {
    const mine = await openProject(app, { 'a.txt': text });
    const argv = ['translate', 'a.txt', '--to', 'fr', '--domain', 'legal'];
    const first = await mine.lingualoop([...argv, '--fail-on-review']);
    expect([first.code, first.err]).toEqual([
      3,
      expect.stringContaining('… a.txt → fr: 2 texts await review'),
    ]);
    expect(await mine.files()).toEqual(['a.txt']);
    expect((await mine.lingualoop(argv)).code).toBe(0);
    const { out } = await mine.lingualoop(['review', 'list', '--json']);
    const ids = JSON.parse(out).texts.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(2);
    const one = await mine.lingualoop(['review', 'show', ids[0]]);
    expect(one.out).toContain('the domain "legal" always requires a human review');
    await mine.lingualoop(['review', 'approve', ids[0], '--reviewer', 'Ada']);
    const edited = await mine.lingualoop(['review', 'edit', ids[1], '--text', 'Mieux', '--reviewer', 'Ada']);
    expect(edited.out).toBe(`${ids[1]} human_edited\n`);
    expect((await mine.lingualoop([...argv, '--fail-on-review'])).code).toBe(0);
    expect(await mine.read('a.fr.txt')).toContain('Mieux');
    expect(await mine.billed()).toBe(characters);
  });

  test('a rejected text fails the file, and the others are translated', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello', 'b.txt': 'Bye' });
    const argv = ['translate', '.', '--to', 'fr', '--domain', 'legal'];
    await mine.lingualoop(argv);
    const { texts } = JSON.parse((await mine.lingualoop(['review', 'list', '--json'])).out);
    const [bye, hello] = ['Bye', 'Hello'].map(
      (word) => texts.find((one: { source_excerpt: string }) => one.source_excerpt === word).id,
    );
    await mine.lingualoop(['review', 'approve', bye, '--reviewer', 'Ada']);
    await mine.lingualoop(['review', 'reject', hello, '--reason', 'no', '--reviewer', 'Ada']);
    const { code, err } = await mine.lingualoop(argv);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`✗ a.txt → fr: a reviewer has rejected a text (job ${hello})`),
    ]);
    expect(await mine.read('b.fr.txt')).toBe('[fr] Bye');
  });

  test('--check translates nothing, and exits with 1 if there is something to translate', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    const argv = ['translate', 'a.txt', '--to', 'fr'];
    expect(await mine.lingualoop([...argv, '--check'], { env: {} })).toEqual({
      code: 1,
      out: 'a.txt → fr: new\n',
      err: '1 translation to make.\n',
    });
    await mine.lingualoop(argv);
    expect((await mine.lingualoop([...argv, '--check'], { env: {} })).code).toBe(0);
    expect(await mine.billed()).toBe(5);
  });

  test('--dry-run prints what is then billed', async () => {
    const mine = await openProject(app, { 'a.txt': text, 'b.txt': 'First paragraph.' });
    const { code, out } = await mine.lingualoop(['translate', '.', '--to', 'fr', '--dry-run', '--json']);
    const sum = JSON.parse(out).reduce(
      (total: number, one: { billable_characters: number }) => total + one.billable_characters,
      0,
    );
    expect([code, sum, await mine.billed()]).toEqual([0, characters + 16, 0]);
    const table = await mine.lingualoop(['translate', 'a.txt', '--to', 'fr', '--dry-run']);
    expect(table.out.split('\n')[0]).toMatch(
      /^file +language +words +characters +exact +sentences +typography +fuzzy +repeated +billed$/,
    );
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    expect(await mine.billed()).toBe(characters);
  });

  test('--max-characters translates nothing if more would be billed', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello', 'b.txt': 'World' });
    const argv = ['translate', '.', '--to', 'fr', '--max-characters'];
    const { code, err } = await mine.lingualoop([...argv, '9']);
    expect([code, err]).toEqual([
      1,
      'error: 10 characters would be billed, and --max-characters is 9; nothing was translated\n',
    ]);
    expect(await mine.files()).toEqual(['a.txt', 'b.txt']);
    expect((await mine.lingualoop([...argv, '10'])).code).toBe(0);
  });

  test('a failed file does not stop the others, and the exit code is 1', async () => {
    const mine = await openProject(app, {
      'a.txt': 'Hello',
      'b.docx': 'no Word file',
      'c.rtf': 'x',
      'd.txt': new Uint8Array([0xff, 0xfe, 0x41]),
    });
    const { code, err } = await mine.lingualoop(['translate', '.', 'c.rtf', '--to', 'fr']);
    expect(code).toBe(1);
    expect(err).toContain('✗ b.docx → fr: 400');
    expect(err).toContain('✗ c.rtf → fr: 415 unsupported source_document type');
    expect(err).toContain('✗ d.txt → fr: d.txt is not UTF-8');
    expect(err).toContain('1 translation written, 0 current, 3 failed.');
    expect(await mine.read('a.fr.txt')).toBe('[fr] Hello');
  });

  test('a wrong key or a used-up allowance is one error', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello', 'b.txt': 'Bye' });
    const wrong = await mine.lingualoop(['translate', '.', '--to', 'fr'], {
      env: { ...mine.credentials, LINGUALOOP_API_KEY: 'wrong' },
    });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/^error: 401 .*; run "lingualoop login"\n$/),
    ]);
    const poor = await openProject(small, { 'a.txt': 'Hello there, world', 'b.txt': 'Bye' });
    const stopped = await poor.lingualoop(['translate', '.', '--to', 'fr', '--jobs', '1']);
    expect([stopped.code, stopped.err]).toEqual([
      1,
      expect.stringMatching(/^error: 429 tenant usage limit exceeded.*\n$/),
    ]);
    expect([await poor.files(), await poor.billed()]).toEqual([['a.txt', 'b.txt'], 0]);
  });

  test('an interruption exits with 130', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    const ended = await mine.lingualoop(['translate', '.', '--to', 'fr'], {
      signal: AbortSignal.abort(new Error('interrupted')),
    });
    expect([ended.code, ended.err]).toEqual([130, expect.stringContaining('interrupted\n')]);
    expect(await mine.files()).toEqual(['a.txt']);
  });
});

describe('lingualoop.json', () => {
  test('has the defaults, which options replace', async () => {
    const config = { files: ['docs/**/*.txt'], exclude: ['**/draft*'], to: ['fr'], output: '{lang}/{path}' };
    const mine = await openProject(app, {
      'lingualoop.json': JSON.stringify(config),
      'docs/a.txt': 'Hello',
      'docs/draft.txt': 'No',
    });
    await mine.lingualoop(['translate']);
    expect(await mine.read('fr/docs/a.txt')).toBe('[fr] Hello');
    await mine.lingualoop(['translate', '--to', 'de']);
    expect(await mine.files()).toEqual([
      'de/docs/a.txt',
      'docs/a.txt',
      'docs/draft.txt',
      'fr/docs/a.txt',
      'lingualoop.json',
      'lingualoop.lock.json',
    ]);
  });

  test.each([
    ['{', 'lingualoop.json is not JSON'],
    ['[]', 'lingualoop.json must be a JSON object'],
    ['{"too": ["fr"]}', 'lingualoop.json: unknown field "too"; it has files'],
    ['{"to": "fr"}', 'lingualoop.json: to must be a list of strings'],
  ])('%s is an error', async (content, message) => {
    const mine = await openProject(app, { 'lingualoop.json': content, 'a.txt': 'Hello' });
    const { code, err } = await mine.lingualoop(['translate', 'a.txt', '--to', 'fr']);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('wrong arguments', () => {
  test.each([
    [['translate', '--to', 'fr'], 'the files are missing'],
    [['translate', 'a.txt'], 'the target languages are missing'],
    [['translate', '', '--to', 'fr'], 'the name of a file is empty'],
    [['translate', 'none.txt', '--to', 'fr'], 'no file matches "none.txt"'],
    [['translate', 'a.txt', '--to', 'fr', '--output', '{path}'], 'would replace the source'],
    [
      ['translate', 'a.txt', '--to', 'fr,de', '--output', 'y.txt'],
      'gives y.txt for a.txt in fr and for a.txt in de',
    ],
    [['translate', 'a.txt', '--to', 'fr', '--output', '../{name}.{lang}'], 'leads out of this folder'],
    [['translate', 'a.txt', '--to', 'fr', '--output', '{lng}.txt'], 'unknown placeholder'],
    [['translate', 'a.txt', '--to', 'fr', '--output', 'out/'], '--output "out/" is a folder'],
    [['translate', 'a.txt', '--to', 'fr', '--jobs', '0'], '--jobs must be a whole number from 1'],
    [['translate', 'a.txt', '--tto', 'fr'], 'unknown option --tto; did you mean --to?'],
    [['trnslate'], 'unknown command "trnslate"; did you mean "translate"?'],
    [['toString'], 'unknown command "toString"'],
    [['whoami', '--url', 'http://ada:secret@127.0.0.1'], 'baseUrl must not have credentials'],
    [['glossary', 'lst'], 'unknown command "glossary lst"; did you mean "list"?'],
    [['review', 'show'], 'an argument is missing: ID'],
    [['whoami', 'x'], 'unexpected argument "x"'],
  ])('%j: %s', async (argv, message) => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    const { code, out, err } = await mine.lingualoop(argv);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('error: ')]);
    expect(err).toContain(message);
    expect(await mine.billed()).toBe(0);
  });

  test('the help of each command is printed to standard output', async () => {
    const mine = await openProject(app);
    const { commands } = await import('#cli/program.ts');
    const paths = Object.entries(commands).flatMap(([name, { subcommands }]) => [
      [name],
      ...Object.keys(subcommands ?? {}).map((sub) => [name, sub]),
    ]);
    for (const path of paths) {
      const { code, out, err } = await mine.lingualoop([...path, '--help'], { env: {} });
      expect([code, err, out.includes(`lingualoop ${path.join(' ')}`)]).toEqual([0, '', true]);
    }
  });
});

describe('a text file', () => {
  test.each([
    ['One\n\nTwo\n', ['One', 'Two']],
    ['\n\n One \n\n\n\n  Two\n still two\n', ['One', 'Two\n still two']],
    ['a\r\n\r\nb', ['a', 'b']],
    ['   \n\n', []],
    ['', []],
    ['same\n\nsame', ['same']],
  ])('%j has the paragraphs %j, and is rebuilt exactly', (content, texts) => {
    const pieces = splitParagraphs(content);
    expect(textsOf(pieces).map((one) => one.trim())).toEqual(texts);
    expect(joinPieces(pieces, new Map())).toBe(content);
  });

  test('long paragraphs are split, and nothing is lost', () => {
    for (const content of [
      'A sentence of a text. '.repeat(3000),
      'x'.repeat(25_000),
      `${'line\n'.repeat(4000)}end`,
    ]) {
      const pieces = splitParagraphs(content);
      expect(joinPieces(pieces, new Map())).toBe(content);
      expect(Math.max(...textsOf(pieces).map(({ length }) => length))).toBeLessThanOrEqual(10_000);
    }
  });

  test.each([
    ['{dir}{name}.{lang}{ext}', 'docs/a.b.txt', 'docs/a.b.de.txt'],
    ['{dir}{name}.{lang}{ext}', 'a.txt', 'a.de.txt'],
    ['{lang}/{path}', 'docs/a.txt', 'de/docs/a.txt'],
    ['locales/{lang}/{name}{ext}', 'locales/en/a.json', 'locales/de/a.json'],
  ])('%s of %s is %s', (pattern, source, expected) => {
    expect(outputOf({ output: pattern, codes: {} }, source, 'de')).toBe(expected);
  });
});
