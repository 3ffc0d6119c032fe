import { readFile, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

describe('lingualoop login', () => {
  test('checks the key, stores it for its owner only, and other commands use it', async () => {
    const mine = await openProject(app);
    const { code, err } = await mine.lingualoop(['login', '--url', `${app.address}/`], {
      env: {},
      stdin: `${mine.apiKey}\n`,
    });
    expect([code, err]).toEqual([0, expect.stringContaining(`Signed in to ${app.address}.`)]);
    const path = join(mine.config, 'lingualoop/credentials.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await mine.lingualoop(['whoami'], { env: {} })).out).toBe(`${app.address} (API key of login)\n`);
    // The environment takes precedence. A variable can be empty, and a key can have a line end.
    const { LINGUALOOP_API_KEY } = mine.credentials;
    const env = { LINGUALOOP_URL: '', LINGUALOOP_API_KEY: `${LINGUALOOP_API_KEY}\n` };
    expect((await mine.lingualoop(['whoami'], { env })).out).toBe(`${app.address} (LINGUALOOP_API_KEY)\n`);
    expect((await mine.lingualoop(['logout'], { env: {} })).code).toBe(0);
    expect(await mine.lingualoop(['whoami'], { env: {} })).toMatchObject({
      code: 2,
      err: expect.stringContaining('no service is known'),
    });
    expect(await readFile(path, 'utf8')).not.toContain(mine.apiKey);
  });

  test.each([
    ['a wrong key', ['login', '--url', 'APP'], 'wrong', 1, /^error: 401 /],
    ['an empty key', ['login', '--url', 'APP'], '', 2, /^error: the API key is empty/],
    ['no URL', ['login', '--url', 'translate.example.com'], 'k', 2, /is not the URL of a service/],
    ['no terminal and no URL', ['login'], 'k', 2, /no terminal to ask for: URL of the service/],
    [
      'a service that is down',
      ['login', '--url', 'http://127.0.0.1:9'],
      'k',
      1,
      /^error: the service cannot be reached/,
    ],
  ])('with %s stores nothing', async (_what, argv, stdin, code, message) => {
    const mine = await openProject(app);
    const ended = await mine.lingualoop(
      argv.map((one) => (one === 'APP' ? app.address : one)),
      { env: {}, stdin },
    );
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(message)]);
    expect((await mine.lingualoop(['whoami'], { env: {} })).code).toBe(2);
  });

  test('as a member, and usage shows what was billed', async () => {
    const mine = await openProject(app, { 'a.txt': 'Hello' });
    const email = 'cli@example.org';
    const signup = await app.signUp({ email, password: 'a long enough passphrase' });
    const argv = ['login', '--url', app.address, '--email', email];
    const wrong = await mine.lingualoop(argv, { env: {}, stdin: 'wrong' });
    expect([wrong.code, (await mine.lingualoop(['whoami'], { env: {} })).code]).toEqual([1, 2]);
    const { code } = await mine.lingualoop(argv, { env: {}, stdin: 'a long enough passphrase\n' });
    expect(code).toBe(0);
    expect((await mine.lingualoop(['whoami'], { env: {} })).out).toContain(`(member of login: ${email})`);
    // A sign-in that fails leaves the former credential.
    expect((await mine.lingualoop(argv, { env: {}, stdin: 'wrong' })).code).toBe(1);
    await mine.lingualoop(['translate', 'a.txt', '--to', 'fr'], { env: {} });
    const day = new Date().toISOString().slice(0, 10);
    const csv = await mine.lingualoop(['usage', '--csv', '--from', day], { env: {} });
    expect([csv.code, csv.out]).toEqual([0, `day,jobs,characters\n${day},1,5\n`]);
    expect((await mine.lingualoop(['usage'], { env: {} })).out).toMatch(/total +1 +5\n$/);
    expect(signup.tenantId).not.toBe(mine.tenantId);
    // A key may not read the usage.
    expect((await mine.lingualoop(['usage'])).err).toBe(
      'error: usage requires an administrator: run "lingualoop login --email ADDRESS"\n',
    );
  });

  test('a damaged file of credentials is an error that names it', async () => {
    const mine = await openProject(app);
    await mine.lingualoop(['login', '--url', app.address], { env: {}, stdin: mine.apiKey });
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(mine.config, 'lingualoop/credentials.json'), '{');
    const { code, err } = await mine.lingualoop(['whoami'], { env: {} });
    expect([code, err]).toEqual([1, expect.stringContaining('credentials.json is damaged; delete it')]);
  });
});

describe('lingualoop glossary', () => {
  test('uploads, lists, exports and deletes', async () => {
    const mine = await openProject(app, { 'terms.csv': 'invoice,facture\nship,navire\n' });
    const { code, err } = await mine.lingualoop([
      'glossary',
      'upload',
      'terms.csv',
      '--from',
      'en',
      '--to',
      'fr',
    ]);
    expect([code, err]).toEqual([0, expect.stringContaining('terms has 2 terms.\n')]);
    const [set] = JSON.parse((await mine.lingualoop(['glossary', 'list', '--json'])).out);
    expect((await mine.lingualoop(['glossary', 'list'])).out).toContain('terms');
    expect((await mine.lingualoop(['glossary', 'terms', set.id])).out).toBe(
      'source   target\ninvoice  facture\nship     navire\n',
    );
    await mine.lingualoop(['glossary', 'export', set.id, '--output', 'terms.tbx']);
    expect(await mine.read('terms.tbx')).toContain('facture');
    expect((await mine.lingualoop(['glossary', 'delete', set.id])).code).toBe(0);
    expect((await mine.lingualoop(['glossary', 'list'])).err).toBe('No glossaries.\n');
  });

  test('a missing or invalid file is an error', async () => {
    const mine = await openProject(app, { 'terms.csv': 'only one column\n' });
    expect((await mine.lingualoop(['glossary', 'upload', 'none.csv'])).err).toBe(
      'error: none.csv does not exist\n',
    );
    const { code, err } = await mine.lingualoop([
      'glossary',
      'upload',
      'terms.csv',
      '--from',
      'en',
      '--to',
      'fr',
    ]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^error: 400 terminology_file/)]);
  });
});

test('lingualoop glossary create needs no file, and export writes a workbook that upload reads', async () => {
  const mine = await openProject(app, { 'a.csv': '=1+1,égal\n' });
  const create = ['glossary', 'create', 'Brand', '--from', 'en', '--to', 'fr'];
  const { code, out } = await mine.lingualoop([...create, '--json']);
  const set = JSON.parse(out);
  expect([code, set]).toMatchObject([0, { name: 'Brand', source_lang: 'en', entry_count: 0 }]);
  expect((await mine.lingualoop(create)).err).toBe(`Glossary ${set.id} created.\n`);
  const missing = await mine.lingualoop(create.slice(0, 5));
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('a language is missing')]);
  await mine.lingualoop(['glossary', 'upload', 'a.csv', '--name', 'Brand', '--from', 'en', '--to', 'fr']);
  const exported = await mine.lingualoop(['glossary', 'export', set.id, '-o', 'b.XLSX']);
  expect([exported.code, exported.err]).toEqual([0, 'b.XLSX written.\n']);
  expect((await mine.lingualoop(['glossary', 'upload', 'b.XLSX', '--name', 'Again'])).err).toBe(
    'Again has 1 term.\n',
  );
});

describe('lingualoop memory', () => {
  test('imports, searches, exports and deletes', async () => {
    const tmx = `<?xml version="1.0"?><tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x" creationtool="x" creationtoolversion="1"/><body>
      <tu><tuv xml:lang="en"><seg>Good morning</seg></tuv><tuv xml:lang="fr"><seg>Bonjour</seg></tuv></tu></body></tmx>`;
    const mine = await openProject(app, { 'book.tmx': tmx });
    const { code, err } = await mine.lingualoop(['memory', 'import', 'book.tmx', '--to', 'fr']);
    expect([code, err]).toEqual([0, 'book has 1 segments.\n']);
    const [set] = JSON.parse((await mine.lingualoop(['memory', 'list', '--json'])).out);
    expect((await mine.lingualoop(['memory', 'search', 'morning', '--to', 'fr'])).out).toBe(
      'source        target\nGood morning  Bonjour\n',
    );
    const { out: exported } = await mine.lingualoop(['memory', 'export', set.id]);
    expect(exported).toContain('<seg>Bonjour</seg>');
    // A link stays, and a device or a folder is not replaced.
    await symlink('book.tmx', join(mine.folder, 'link.tmx'));
    await mine.lingualoop(['memory', 'export', set.id, '--output', 'link.tmx']);
    expect([await readlink(join(mine.folder, 'link.tmx')), await mine.read('book.tmx')]).toEqual([
      'book.tmx',
      exported,
    ]);
    const full = await mine.lingualoop(['memory', 'export', set.id, '--output', '/dev/full']);
    expect([full.code, (await stat('/dev/full')).isCharacterDevice()]).toEqual([1, true]);
    expect(await mine.files()).toEqual(['book.tmx']);
    expect((await mine.lingualoop(['memory', 'delete', set.id])).code).toBe(0);
    expect((await mine.lingualoop(['memory', 'search', 'morning'])).code).toBe(2);
  });
});

test('a key with the scope translate suffices to sign in and to translate', async () => {
  const mine = await openProject(app, { 'a.txt': 'Hello' });
  const password = 'a long enough passphrase';
  const { body } = await app.json('POST', '/trpc/apiKeys.create', {
    headers: { authorization: `Bearer ${mine.accessToken}` },
    body: { json: { name: 'CI', scopes: ['translate'], password } },
  });
  const { api_key } = body.result.data.json;
  expect((await mine.lingualoop(['login', '--url', app.address], { env: {}, stdin: api_key })).code).toBe(0);
  expect((await mine.lingualoop(['translate', 'a.txt', '--to', 'fr'], { env: {} })).code).toBe(0);
  const refused = await mine.lingualoop(['glossary', 'list'], { env: {} });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('lacks the scope read')]);
});
