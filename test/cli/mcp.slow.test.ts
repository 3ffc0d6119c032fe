import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '#cli/program.ts';
import { LinguaLoop } from '#sdk/index.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { launch, root, testFolder } from '#test/setup/launch.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const main = join(root, 'sdk/cli/src/main.ts');

type Project = Awaited<ReturnType<typeof openProject>>;

/** Starts the server with the options, and connects the SDK's client to it over standard input and output. */
async function connect(mine: Project, ...options: string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = { PATH: process.env['PATH'] ?? '', USER: 'Ada', ...mine.credentials };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', ...options],
    cwd: mine.folder,
    env,
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, call: callsOf(client) };
}

/** Returns a function that calls a tool, and returns its structured result, or the message of its error. */
const callsOf = (client: Client) => async (name: string, input: Record<string, unknown>) => {
  const result = await client.callTool({ name, arguments: input });
  const [text] = result.content as { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the result of any tool: the tests look into it freely
  const structured = result.structuredContent as any;
  if (result.isError) return { error: text?.text };
  // Clients without structured results read the text.
  expect(JSON.parse(text?.text ?? '')).toEqual(structured);
  return structured;
};

const reading = [
  'document_status',
  'estimate',
  'find_terms',
  'get_translation',
  'list_reviews',
  'search_memory',
];

describe('lingualoop mcp', () => {
  test('offers tools with schemas and right annotations, and none that closes a review', async () => {
    const { client } = await connect(await openProject(app));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...reading, 'translate'].sort());
    for (const { name, annotations, title, description, outputSchema, inputSchema } of tools) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, reading.includes(name)]);
      expect(annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
      expect([title, description].every(Boolean)).toBe(true);
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
    }
    expect(client.getServerVersion()).toMatchObject({ name: 'lingualoop' });
    expect(client.getInstructions()).toContain('awaiting_review');
  });

  test('approving is a tool only with --allow-approval, and is marked as destructive', async () => {
    const mine = await openProject(app);
    const { client } = await connect(mine, '--allow-approval');
    const { tools } = await client.listTools();
    const closing = tools.filter(({ name }) => /approve|reject/.test(name));
    expect(
      closing.map(({ name, annotations }) => [name, annotations?.destructiveHint, annotations?.readOnlyHint]),
    ).toEqual([
      ['approve_translation', true, false],
      ['reject_translation', true, false],
    ]);
    const { call } = await connect(mine);
    expect(await call('approve_translation', { job_id: 'x' })).toEqual({
      error: expect.stringContaining('approve_translation'),
    });
  });

  test('translates, estimates and reads', async () => {
    const mine = await openProject(app);
    const { call } = await connect(mine);
    expect(await call('estimate', { text: 'Hello', target_lang: 'fr' })).toMatchObject({
      billable_characters: 5,
      refusal: null,
    });
    expect(await mine.billed()).toBe(0);
    const job = await call('translate', { text: 'Hello', target_lang: 'fr' });
    expect(job).toMatchObject({ status: 'published', translation: '[fr] Hello', source_lang: 'en' });
    expect(await call('get_translation', { job_id: job.job_id })).toEqual(job);
    expect(await mine.billed()).toBe(5);
  });

  test('finds terms and segments', async () => {
    const mine = await openProject(app);
    const sets = setsOf(app, mine.headers);
    await sets.glossary('invoice,facture', { source_lang: 'en', target_lang: 'fr' });
    await sets.memory([['Pay the invoice today', 'Payez la facture aujourd’hui']]);
    const { call } = await connect(mine);
    const pair = { text: 'Pay the invoice now', target_lang: 'fr' };
    expect((await call('find_terms', pair)).terms).toEqual([
      { source: 'invoice', targets: ['facture'], glossary: 'A glossary' },
    ]);
    const { matches } = await call('search_memory', pair);
    expect(matches).toEqual([
      expect.objectContaining({ target: 'Payez la facture aujourd’hui', memory: 'A memory' }),
    ]);
    expect(matches[0].similarity).toBeGreaterThan(0.6);
    expect(matches[0].similarity).toBeLessThan(1);
  });

  test('lists what awaits a review and why, and closes it only if that is allowed', async () => {
    const mine = await openProject(app);
    const { call } = await connect(mine, '--allow-approval');
    const held = await call('translate', { text: 'The lessee pays.', target_lang: 'fr', domain: 'legal' });
    expect(held).toMatchObject({
      status: 'awaiting_review',
      reasons: ['the domain "legal" always requires a human review'],
    });
    const other = await call('translate', { text: 'The lessor pays.', target_lang: 'fr', domain: 'legal' });
    const { texts, more } = await call('list_reviews', { target_lang: 'fr' });
    expect([texts.map(({ job_id }: { job_id: string }) => job_id), more]).toEqual([
      [other.job_id, held.job_id],
      false,
    ]);
    expect(texts[0].triggers).toEqual(['policy_required']);
    expect(await call('list_reviews', { limit: 1 })).toMatchObject({ more: true });
    expect(
      await call('approve_translation', { job_id: held.job_id, translation: 'Le locataire paie.' }),
    ).toMatchObject({
      status: 'human_edited',
      translation: 'Le locataire paie.',
    });
    expect(await call('reject_translation', { job_id: other.job_id, reason: 'no' })).toMatchObject({
      status: 'rejected',
    });
    // A review is closed once.
    expect((await call('approve_translation', { job_id: held.job_id })).error).toContain('not reviewable');
  });

  test('translates a document in its folder, and saves the translation there', async () => {
    const workbook = new Uint8Array(await workbookFile(['Soup', 'Bread']).arrayBuffer());
    const mine = await openProject(app, { 'docs/menu.xlsx': workbook, 'secret.xlsx': workbook });
    const { call, client } = await connect(mine, '--folder', 'docs');
    const writing = (await client.listTools()).tools.filter(({ annotations }) => !annotations?.readOnlyHint);
    expect(writing.map(({ name }) => name).sort()).toEqual([
      'save_document',
      'translate',
      'translate_document',
    ]);
    const { document_id } = await call('translate_document', { path: 'menu.xlsx', target_lang: 'fr' });
    await withWorkers(app, async () => {
      await expect
        .poll(async () => (await call('document_status', { document_id })).status, { timeout: 15_000 })
        .toBe('translated');
    });
    expect(await call('document_status', { document_id })).toMatchObject({
      progress: 1,
      approved: false,
      error: null,
    });
    const isApproved = async () => (await call('document_status', { document_id })).approved;
    const admin = new LinguaLoop({ baseUrl: app.address, accessToken: mine.accessToken });
    await admin.documents.approve(document_id);
    expect(await isApproved()).toBe(true);
    const segments = [{ position: 0, replaces: '[fr] Soup', target_text: 'Potage' }];
    await admin.documents.save({ document_id, segments });
    expect(await isApproved()).toBe(false);
    expect(await call('save_document', { document_id })).toEqual({ path: 'menu.fr.xlsx' });
    expect((await mine.read('docs/menu.fr.xlsx')).slice(0, 2)).toBe('PK');
    // An existing file is never replaced.
    expect((await call('save_document', { document_id })).error).toContain('already exists');

    // Nothing outside of the folder is read or written.
    await symlink(mine.folder, join(mine.folder, 'docs/link'));
    for (const path of [
      '../secret.xlsx',
      join(mine.folder, 'secret.xlsx'),
      'link/secret.xlsx',
      '/etc/passwd',
    ])
      expect((await call('translate_document', { path, target_lang: 'fr' })).error).toContain(
        `${path} is not in`,
      );

    // A file has a plain name of the document's type, and replaces nothing.
    await symlink(join(mine.folder, 'written.xlsx'), join(mine.folder, 'docs/dangling.xlsx'));
    const before = await mine.files();
    const save = (file_name: string) => call('save_document', { document_id, file_name });
    for (const name of ['../out.xlsx', 'link/out.xlsx', '/tmp/out.xlsx', '..\\out.xlsx', 'C:out.xlsx'])
      expect((await save(name)).error).toContain('not a plain file name');
    for (const name of ['a\nb.xlsx', 'a\u202exslx.xlsx', 'a\u0000.xlsx', 'a\u2066b.xlsx'])
      expect((await save(name)).error).toContain('not a plain file name');
    for (const name of ['.out.xlsx', ' .xlsx', '.', '..', 'nul.xlsx', 'COM1.xlsx', 'out.xlsx.', '-rf.xlsx'])
      expect((await save(name)).error).toContain('is hidden or reserved');
    for (const name of ['out.sh', 'Makefile', 'out.xlsx.js', 'xlsx', 'out'])
      expect((await save(name)).error).toContain('extension of the document, .xlsx');
    for (const name of ['menu.xlsx', 'dangling.xlsx'])
      expect((await save(name)).error).toContain('already exists');
    expect(await mine.files()).toEqual(before);
    expect(await save('Menü (2).XLSX')).toEqual({ path: 'Menü (2).XLSX' });
  });

  test.each([
    ['translate', { text: 'Hello', target_lang: 'xx' }, /422 unsupported target_lang/],
    ['translate', { text: '', target_lang: 'fr' }, /text/],
    ['translate', { target_lang: 'fr' }, /text/],
    ['get_translation', { job_id: 'none' }, /404/],
    ['document_status', { document_id: '../x' }, /404/],
    ['unknown_tool', {}, /unknown_tool/],
  ])('a wrong call of %s is an error of the tool: %j', async (name, input, message) => {
    const { call } = await connect(await openProject(app));
    expect((await call(name, input)).error).toMatch(message);
    // The server is still there.
    expect((await call('list_reviews', {})).texts).toEqual([]);
  });

  test('without a credential it does not start', async () => {
    const mine = await openProject(app);
    const { code, err } = await mine.lingualoop(['mcp'], { env: {} });
    expect([code, err]).toEqual([2, expect.stringContaining('lingualoop login')]);
    expect(commands['mcp']?.summary).toContain('Model Context Protocol');
  });

  test('the command line of the inspector lists and calls the tools', async () => {
    const mine = await openProject(app);
    // The package expects to be in the folder `cli` of the inspector.
    const folder = await testFolder();
    await cp(
      join(root, 'node_modules/@modelcontextprotocol/inspector-cli/build'),
      join(folder, 'cli/build'),
      { recursive: true },
    );
    await writeFile(
      join(folder, 'package.json'),
      '{"name": "inspector", "version": "1.0.3", "type": "module"}',
    );
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const cli = join(folder, 'cli/build/index.js');
    const inspect = async (...parameters: string[]) => {
      const server = [process.execPath, main, 'mcp'];
      const env = { PATH: process.env['PATH'], ...mine.credentials };
      const { stdout } = await promisify(execFile)(process.execPath, [cli, ...server, ...parameters], {
        env,
        cwd: mine.folder,
      });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual([...reading, 'translate'].sort());
    const called = await inspect(
      ...[
        '--method',
        'tools/call',
        '--tool-name',
        'translate',
        '--tool-arg',
        'text=Hello',
        '--tool-arg',
        'target_lang=fr',
      ],
    );
    expect(called.structuredContent.translation).toBe('[fr] Hello');
  });
});

describe('lingualoop mcp --http', () => {
  /** Starts the server at a free port. */
  async function serve(mine: Project, ...options: string[]) {
    const env = { ...mine.credentials, LINGUALOOP_MCP_TOKEN: 'a-token' };
    const server = launch([main, 'mcp', '--http', '0', ...options], env);
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      expect((await server.ended).code).toBe(0);
    });
    await server.says('MCP server for');
    return /at (http:\S+\/mcp)/.exec(server.printed())?.[1] ?? '';
  }

  test('serves several clients with the token', async () => {
    const mine = await openProject(app);
    const url = await serve(mine);
    const open = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const requestInit = { headers: { authorization: 'Bearer a-token' } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
      onTestFinished(() => client.close());
      return callsOf(client);
    };
    const [one, other] = [await open(), await open()];
    const made = await Promise.all([
      one('translate', { text: 'One', target_lang: 'fr' }),
      other('translate', { text: 'Two', target_lang: 'fr' }),
    ]);
    expect(made.map(({ translation }) => translation)).toEqual(['[fr] One', '[fr] Two']);
  });

  test('rejects requests without the token, of other hosts and origins, and invalid ones', async () => {
    const url = await serve(await openProject(app), '--public-url', 'https://mcp.example.com');
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const headers = {
      authorization: 'Bearer a-token',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = async (more: Record<string, string>, body = JSON.stringify(message), at = url) =>
      (await fetch(at, { method: 'POST', headers: { ...headers, ...more }, body })).status;
    expect(await post({})).toBe(200);
    expect(await post({ origin: 'https://mcp.example.com' })).toBe(200);
    expect(await post({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await post({ authorization: '' })).toBe(401);
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await post({}, '{')).toBe(400);
    expect(await post({}, 'x'.repeat(1_000_001))).toBe(413);
    expect(await post({}, undefined, url.replace('/mcp', '/'))).toBe(404);
    expect((await fetch(url, { headers })).status).toBe(405);
    expect(await post({})).toBe(200);
  });
});
