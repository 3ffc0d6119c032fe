import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectLine, openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

/** The target that serves a whole term; undefined if no glossary serves it. */
async function served(source_text: string, target_lang = 'fr'): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

const count = async (content: string | Uint8Array) => {
  const { status, body } = await mine.uploadFile(content);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.entry_count;
};

describe('B 4.4: the delimiter is sniffed', () => {
  test.each([
    ['comma', ','],
    ['semicolon', ';'],
    ['tab', '\t'],
    ['pipe', '|'],
  ])('%s, with a header and without', async (_, mark) => {
    const rows = [
      ['ledger', 'grand livre'],
      ['credit note', 'avoir'],
    ];
    for (const lines of [[['source', 'target'], ...rows], rows]) {
      expect(await count(lines.map((cells) => cells.join(mark)).join('\n'))).toBe(2);
      expect([await served('ledger'), await served('credit note')]).toEqual(['grand livre', 'avoir']);
    }
  });

  test('the others are then text, and so is a quoted one', async () => {
    expect(await count('source;target\na, b;un, deux\n"c; d";trois | quatre\n')).toBe(2);
    expect([await served('a, b'), await served('c; d')]).toEqual(['un, deux', 'trois | quatre']);
  });

  test('from the first 4096 characters: what comes later decides nothing', async () => {
    const early = Array.from({ length: 200 }, (_, n) => `term number ${n},terme numéro ${n}`);
    const late = Array.from({ length: 1000 }, (_, n) => `late number ${n},a;b;c;d;e;f;g;h`);
    expect(await count([...early, ...late].join('\n'))).toBe(1200);
    expect(await served('late number 7')).toBe('a;b;c;d;e;f;g;h');
    expect(await served('term number 7')).toBe('terme numéro 7');
  });
});

describe('B 4.4: the encoding', () => {
  const text = 'source,target\nGröße,日本語 😀\n';
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a BOM', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 LE with a BOM', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 BE with a BOM', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    expect(await count(new Uint8Array(bytes))).toBe(1);
    expect(await served('Größe')).toBe('日本語 😀');
  });

  test.each([
    ['Latin-1', Buffer.from('source,target\ncafé,café\n', 'latin1')],
    ['UTF-8 cut in a character', Buffer.from('source,target\nhouse,maison é').subarray(0, -1)],
    ['UTF-16 LE without a BOM', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE without a BOM', Buffer.from(text, 'utf16le').swap16()],
    ['half a lone surrogate', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x2c, 0x00, 0x61, 0x00])],
    ['UTF-16 of an odd length', Buffer.concat([Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from('x')])],
    ['UTF-32 LE', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0, 0x2c, 0, 0, 0, 0x62, 0, 0, 0])],
    ['UTF-32 BE', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61, 0, 0, 0, 0x2c, 0, 0, 0, 0x62])],
    ['a NUL', Buffer.from('source,target\nho\0use,maison\n')],
    ['a NUL in UTF-16', Buffer.from('\uFEFFsource,target\nho\0use,maison\n', 'utf16le')],
    ['empty', Buffer.alloc(0)],
    ['a BOM alone', Buffer.from('\uFEFF')],
  ])('%s is 400', async (_, bytes) => {
    const { status, body } = await mine.uploadFile(new Uint8Array(bytes));
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(await mine.glossaries()).toEqual([]);
  });
});

describe('B 4.4: lines', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('end in %s; blank ones are skipped anywhere', async (_, end) => {
    const lines = [
      '',
      '   ',
      'source,target',
      '',
      'ledger,grand livre',
      ' ',
      '\t',
      ',',
      'stock,inventaire',
      '',
    ];
    expect(await count(lines.join(end))).toBe(2);
    expect([await served('ledger'), await served('stock')]).toEqual(['grand livre', 'inventaire']);
  });

  test('quotes are doubled inside quotes', async () => {
    expect(await count('source,target\n"the ""big"" one","le ""grand"""\n')).toBe(1);
    expect(await served('the "big" one')).toBe('le "grand"');
  });

  test('rows with a blank term are skipped', async () => {
    expect(await count('source,target\n,maison\nhouse,\n  ,x\ny,"  "\nledger,grand livre\nalone\n')).toBe(1);
  });

  test.each([
    ['no row at all', 'source,target\n'],
    ['no row with both', 'source,target\n,maison\nhouse,\n'],
    ['blank lines', '\n \n\t\n'],
    ['one column', 'house\nledger\n'],
  ])('a file with no usable row is 400 validation_error: %s', async (_, content) => {
    const { status, body } = await mine.uploadFile(content);
    expect([status, body.error_code]).toEqual([400, 'validation_error']);
    expect(await mine.glossaries()).toEqual([]);
  });
});

describe('B 4.4: a quoted cell that runs across lines', () => {
  const header = 'source,target,source_lang,target_lang,case_sensitive,priority,note';
  test.each([
    ['source term', '"two\nlines",deux,,,,,'],
    ['target term', 'two,"deux\nlignes",,,,,'],
    ['source language', 'two,deux,"e\nn",,,,'],
    ['target language', 'two,deux,,"f\nr",,,'],
    ['case_sensitive', 'two,deux,,,"tr\nue",,'],
    ['priority', 'two,deux,,,,"1\n2",'],
  ])('in the %s is 400 naming the line, which is the row’s first', async (_, row) => {
    for (const end of ['\n', '\r\n', '\r'])
      expectLine(await mine.uploadFile([header, 'one,un,,,,,', '', row].join('\n').replaceAll('\n', end)), 4);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('in a file without a header too', async () => {
    expectLine(await mine.uploadFile('one,un\n"two\nlines",deux\n'), 2);
  });

  test('in another column it is read, and its lines count', async () => {
    expect(await count(`${header}\ntwo,deux,,,,,"a note\nof two lines"\none,un,,,,,\n`)).toBe(2);
    expectLine(await mine.uploadFile(`${header}\ntwo,deux,,,,,"a note\nof two lines"\none,un,,xx,,,\n`), 4);
  });

  test('a quote that is never closed is 400', async () => {
    expect((await mine.uploadFile('source,target\n"house,maison\nledger,grand livre\n')).status).toBe(400);
  });
});
