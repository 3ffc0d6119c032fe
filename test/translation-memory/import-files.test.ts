import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from './sets.ts';
import { pairs, tmx, tmxOf, unit } from './tmx.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const small = useTestApp({ env: { ...env, MAX_REQUEST_BYTES: '2000', MAX_UPLOAD_BYTES: '20000' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const file = tmx([['Hello', 'Bonjour']]);
const served = async (text: string, target_lang = 'fr') =>
  (await mine.job({ source_text: text, target_lang })).final_translation;

describe('B 4.5: which files', () => {
  test.each(['m.csv', 'm.xml', 'm.txt', 'm.tmx.zip', 'm.tmx.csv', 'tmx'])(
    '%s is 415 tmx_file must be a .tmx file',
    async (name) => {
      for (const type of ['application/xml', 'text/plain'])
        expect(refusal(await mine.importFile(file, {}, { name, type }))).toEqual([
          415,
          'tmx_file must be a .tmx file',
        ]);
      expect(await mine.memories()).toEqual([]);
    },
  );

  test.each([
    'text/csv',
    'text/plain',
    'application/json',
    'application/vnd.ms-excel',
    'text/html',
    'image/png',
  ])('C 7: declared as %s it is 415 tmx_file must be XML (TMX 1.4b)', async (type) => {
    const answer = await mine.importFile(file, {}, { type });
    expect(refusal(answer)).toEqual([415, 'tmx_file must be XML (TMX 1.4b)']);
    expect(await mine.memories()).toEqual([]);
  });

  test.each([
    'application/xml',
    'text/xml',
    'application/x-tmx+xml',
    'application/octet-stream',
    'application/xml; charset=utf-8',
    'TEXT/XML;charset=UTF-8',
  ])('declared as %s it is read', async (type) => {
    expect((await mine.importFile(file, {}, { type })).status).toBe(200);
  });

  test.each([
    ['no content type', null],
    ['an empty content type', ''],
  ])('B 4.4: a part that declares %s skips the check', async (_, type) => {
    expect((await mine.importFile(file, {}, { type })).status).toBe(200);
  });

  test.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['text', 'Hello'],
    ['CSV', 'source,target\nHello,Bonjour'],
    ['JSON', '{"tmx": 1}'],
    ['an archive', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0])],
    ['other XML', '<?xml version="1.0"?><html><body><p>Hello</p></body></html>'],
    ['cut short', file.slice(0, -20)],
    ['without a unit', tmxOf('')],
    ['in Latin-1 that says UTF-8', Buffer.from(tmx([['caf\u00e9', 'caf\u00e9']]), 'latin1')],
  ])('C 7: what is not TMX inside is 400: %s', async (_, content) => {
    const answer = await mine.importFile(content);
    expect([answer.status, typeof answer.body.detail]).toEqual([400, 'string']);
    expect(await mine.memories()).toEqual([]);
  });

  test('C 7: an import with no usable unit is 400, and leaves a set of that name as it was', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    const unusable = [
      tmx([['Hello', '']]),
      tmx([['', 'Bonjour']]),
      tmx([[' \n ', 'Bonjour']]),
      tmx([['Hello', 'Hallo']], 'en', 'de'),
      tmx([['Hello', 'Bonjour']], 'en', 'fr-CA'),
    ];
    for (const content of unusable) expect((await mine.importFile(content)).status).toBe(400);
    expect(await mine.memories()).toMatchObject([{ entry_count: 1 }]);
    expect(await served('Hello')).toBe('Bonjour');
  });
});

describe('B 8: the sizes of an import', () => {
  test('MAX_UPLOAD_BYTES holds for it, and not the limit of text submissions', async () => {
    const at = await openSets(small);
    const medium = tmx(pairs(100));
    expect(medium.length).toBeGreaterThan(10_000);
    expect((await at.importFile(medium)).body).toMatchObject({ imported: 100 });
    const answer = await at.importFile(tmx(pairs(200)));
    expect(refusal(answer)).toEqual([413, 'request body exceeds MAX_UPLOAD_BYTES']);
    expect(await at.memories()).toMatchObject([{ entry_count: 100 }]);
  });
});

describe('B 4.5: what a unit says', () => {
  const imported = async (body: string, fields = {}) => {
    const answer = await mine.importFile(tmxOf(body), fields);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };

  test('C 7: inline containers are dropped with what is in them, and what is highlighted is kept', async () => {
    await imported(
      unit({
        en: 'Press <bpt i="1">&lt;b></bpt>the <hi>red</hi> button<ept i="1">&lt;/b></ept><ph>&lt;br <sub>alt</sub>/></ph>.',
        fr: 'Appuyez <it pos="begin">&lt;i></it>sur le <hi type="x">bouton <hi>rouge</hi></hi><ut>{\\b}</ut>.',
      }),
    );
    expect(await served('Press the red button.')).toBe('Appuyez sur le bouton rouge.');
  });

  test('the five predefined entities, character references and CDATA are text', async () => {
    await imported(
      unit({ en: 'R&amp;D &lt;x&gt; &quot;a&apos;', fr: 'R&amp;D &#233;&#xE9; <![CDATA[<b>&amp;]]>' }),
    );
    expect(await served('R&D <x> "a\'')).toBe('R&D éé <b>&amp;');
  });

  test('C 7: an entity of its own is 400, declared or not; a DOCTYPE that only names a DTD is skipped', async () => {
    const body = (doctype: string, seg: string) =>
      tmxOf(unit({ en: 'Hello', fr: seg })).replace('<tmx', `${doctype}<tmx`);
    const refused = [
      body('', '&nbsp;'),
      body('<!DOCTYPE tmx [<!ENTITY x "y">]>', '&x;'),
      body('<!DOCTYPE tmx [<!ENTITY x "y">]>', 'never used'),
      body('<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>', 'never used'),
      body('<!DOCTYPE tmx [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>', 'never used'),
    ];
    for (const content of refused) expect((await mine.importFile(content)).status).toBe(400);
    expect(await mine.memories()).toEqual([]);
    const named = body('<!DOCTYPE tmx SYSTEM "http://127.0.0.1:9/tmx14.dtd">', 'Salut');
    expect((await mine.importFile(named)).status).toBe(200);
    expect(await served('Hello')).toBe('Salut');
  });

  test.each([
    ['UTF-8 with a BOM', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 LE', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 BE', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['CRLF', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['CR', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
  ])('Reading files: %s', async (_, encode) => {
    const text = tmx([['Gr\u00fc\u00dfe 😀', 'こんにちは 😀']]).replace(' encoding="UTF-8"', '');
    expect((await mine.importFile(new Uint8Array(encode(text)))).body).toMatchObject({ imported: 1 });
    expect(await served('Gr\u00fc\u00dfe 😀')).toBe('こんにちは 😀');
  });

  test('Reading files: `lang` is read where there is no xml:lang', async () => {
    await imported(
      '<tu><tuv lang="EN-US"><seg>Hello</seg></tuv><tuv lang="fr-FR"><seg>Salut</seg></tuv></tu>',
    );
    expect(await served('Hello')).toBe('Salut');
  });

  test('B 2.9: a unit that lacks a side, or has a blank one, is skipped and counted', async () => {
    const body = [
      unit({ en: 'Hello', fr: 'Salut' }),
      unit({ en: 'No French', de: 'Kein Französisch' }),
      unit({ fr: 'Sans anglais' }),
      unit({ en: '', fr: 'Vide' }),
      unit({ en: 'Blank', fr: ' \n ' }),
      unit({ en: '<ph>only a tag</ph>', fr: 'Rien' }),
    ];
    expect(await imported(body.join('\n'))).toMatchObject({
      total_units: 6,
      imported: 1,
      skipped_units: 5,
      duplicates_dropped: 0,
      entry_count: 1,
    });
  });
});
