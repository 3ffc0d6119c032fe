/**
 * Records a version of the service for `test/db/former-versions.slow.test.ts`: the rows of its database, the files in
 * its storage, its responses and its SDK. To run it, check out that version, copy this folder into it, and run `npm ci`,
 * `npm run build:sdk` and:
 *
 *   node test/db/former/record.ts version-0.json.gz
 *
 * The program uses HTTP and not the SDK, so that it works with all versions.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { decodeBase32IgnorePadding } from '@oslojs/encoding';
import { generateTOTP } from '@oslojs/otp';
import { Document, Packer, Paragraph } from 'docx';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import type { FormerVersion } from './former-version.ts';
import { describeSchema } from './schema-lines.ts';

const root = process.cwd();
const data = await mkdtemp(join(tmpdir(), 'lingualoop-former-'));
const secretsKey = Buffer.alloc(32, 7).toString('base64');
const founder = { email: 'founder@former.example', password: 'former-password-8d1f' };

const service = spawn(process.execPath, ['server/main.ts'], {
  cwd: root,
  env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: data, SECRETS_KEY: secretsKey },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
for await (const chunk of service.stdout) {
  output += chunk;
  if (output.includes('listens on')) break;
}
const address = /listens on ([^\s"]+)/.exec(output)?.[1];
if (!address) throw new Error(`the service does not listen: ${output}`);

// The answers of any route.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

let session = '';
async function call(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const response = await fetch(address + path, {
    method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith('ll_session='));
  if (cookie) session = cookie.split(';')[0] as string;
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as Answer;
}

const { tenant_api_key: apiKey } = await call(
  'POST',
  '/api/auth/signup/email',
  {},
  {
    tenant_name: 'Former & Söhne',
    ...founder,
  },
);
const key = { 'x-api-key': apiKey };
const totpSecret = await enrol();
const jobs = await makeTranslations();
const documents = await makeDocument();
const answers = await readAnswers();
service.kill('SIGTERM');
await once(service, 'exit');

const version: FormerVersion = {
  ...{ apiKey, totpSecret, ...founder, secretsKey, answers },
  ...(await readDatabase()),
  store: await readStore(join(data, 'storage')),
  sdk: await readFile(join(root, 'sdk/dist/index.js'), 'utf8'),
};
await writeFile(process.argv[2] as string, gzipSync(JSON.stringify(version), { level: 9 }));

/** Sets up the founder's authenticator. */
async function enrol(): Promise<string> {
  const form = new URLSearchParams({
    ...{ grant_type: 'password', username: founder.email, password: founder.password },
  });
  await call('POST', '/api/oauth2/token', {}, form);
  const cookie = { cookie: session, origin: address as string };
  const { secret } = await call('POST', '/api/auth/mfa/enroll', cookie, {});
  const code = generateTOTP(decodeBase32IgnorePadding(secret), 30, 6);
  await call('POST', '/api/auth/mfa/confirm', cookie, { mfa_code: code });
  return secret;
}

/** Creates jobs in all states, a glossary and a TM. */
async function makeTranslations(): Promise<string[]> {
  const ids: string[] = [];
  const translate = async (body: object) => {
    const { id } = await call('POST', '/api/translations', key, { target_lang: 'fr', ...body });
    ids.push(id);
    return id as string;
  };
  const review = (id: string, body: object) =>
    call('POST', `/api/translations/${id}/review`, key, { reviewer: 'Amélie', ...body });
  await translate({ source_text: 'Hello, world.' });
  await translate({
    ...{ source_text: 'Die Würde des Menschen ist unantastbar.', source_lang: 'de', target_lang: 'en' },
    idempotency_key: 'former-1',
  });
  await translate({ source_text: '吾輩は猫である。名前はまだ無い。', source_lang: 'ja', target_lang: 'es' });
  await translate({ source_text: 'Your order {orderId} has shipped, %s.', target_lang: 'de' });
  const held = (source_text: string) => translate({ source_text, domain: 'legal' });
  await review(await held('The parties agree.'), {
    ...{ action: 'modify', final_translation: 'Les parties conviennent.' },
  });
  await review(await held('The lessee pays the rent.'), { action: 'approve' });
  await review(await held('This agreement ends on 1 May.'), { action: 'reject', notes: 'ambiguous' });
  await held('Notices are given in writing.');

  await upload('/api/terminology', 'terminology_file', 'Former terms', 'terms.csv', 'text/csv', [
    'source,target,notes',
    'invoice,facture,',
    'LinguaLoop,LinguaLoop,brand',
  ]);
  await upload('/api/tm', 'tmx_file', 'Former memory', 'memory.tmx', 'application/xml', [
    '<?xml version="1.0"?><tmx version="1.4"><header creationtool="record" creationtoolversion="1" segtype="sentence"',
    ' o-tmf="none" adminlang="en" srclang="en" datatype="plaintext"/><body><tu>',
    '<tuv xml:lang="en"><seg>See you tomorrow.</seg></tuv>',
    '<tuv xml:lang="fr"><seg>À demain.</seg></tuv></tu></body></tmx>',
  ]);
  await translate({ source_text: 'Your invoice is ready.' });
  await translate({ source_text: 'See you tomorrow.' });
  return ids;
}

async function upload(
  path: string,
  field: string,
  name: string,
  file: string,
  type: string,
  lines: string[],
) {
  const form = new FormData();
  form.set('name', name);
  form.set('source_lang', 'en');
  form.set('target_lang', 'fr');
  form.set(field, new File([lines.join('\n')], file, { type }));
  await call('POST', path, key, form);
}

/** Creates a translated Word file, if the version supports documents. */
async function makeDocument(): Promise<string[]> {
  const { paths } = await call('GET', '/openapi.json', {});
  if (!('/api/documents/translate' in paths)) return [];
  const sentences = ['The parties agree.', 'Your invoice is ready.', 'See you tomorrow.'];
  const children = sentences.map((sentence) => new Paragraph(sentence));
  const form = new FormData();
  form.set('target_lang', 'fr');
  form.set('wait', 'true');
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const bytes = await Packer.toBuffer(new Document({ sections: [{ children }] }));
  form.set('source_document', new File([new Uint8Array(bytes)], 'agreement.docx', { type }));
  const { id } = await call('POST', '/api/documents/translate', key, form);
  return [id];
}

async function readAnswers(): Promise<FormerVersion['answers']> {
  const paths = [
    ...['/api/translations', '/api/translations?status=awaiting_review', '/api/terminology', '/api/tm'],
    ...(documents.length > 0 ? ['/api/documents'] : []),
    '/api/tm/export/golden?source_lang=en&target_lang=fr',
    ...jobs.map((id) => `/api/translations/${id}`),
    ...documents.flatMap((id) =>
      ['', '/segments', '/artifacts'].map((part) => `/api/documents/${id}${part}`),
    ),
  ];
  const answers: FormerVersion['answers'] = {};
  for (const path of paths) answers[path] = await call('GET', path, key);
  return answers;
}

/** The rows of all tables, in the format of COPY. */
async function readDatabase(): Promise<
  Pick<FormerVersion, 'tables' | 'sequences' | 'migrations' | 'schema'>
> {
  const server = await joinEmbeddedPostgres(data);
  const url = new URL(server.superuserUrl);
  url.pathname = new URL(server.ownerUrl).pathname;
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  const tables: FormerVersion['tables'] = {};
  const named = await sql<{ table: string; columns: string[] }[]>`
    select table_name as table, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' group by 1`;
  for (const { table, columns } of named) {
    const list = columns.map((column) => `"${column}"`).join(', ');
    let rows = '';
    for await (const chunk of await sql.unsafe(`copy "${table}" (${list}) to stdout`).readable())
      rows += chunk;
    if (rows) tables[table] = { columns, rows };
  }
  const last = await sql<{ name: string; value: string }[]>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = 'public' and last_value is not null`;
  const migrations = await sql<FormerVersion['migrations']>`
    select hash, created_at::text from drizzle.__drizzle_migrations order by created_at`;
  const schema = await describeSchema(url.href);
  await sql.end();
  await server.leave();
  const sequences = Object.fromEntries(last.map(({ name, value }) => [name, value]));
  return { tables, sequences, migrations, schema };
}

async function readStore(folder: string): Promise<FormerVersion['store']> {
  const store: FormerVersion['store'] = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    store[path.slice(folder.length + 1)] = await readFile(path, 'base64');
  }
  return store;
}
