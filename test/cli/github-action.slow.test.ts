import { execFile, spawn } from 'node:child_process';
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useTestApp } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const run = promisify(execFile);
const example = join(root, 'examples/github-action');
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** Git over HTTP (`git http-backend`) for the repositories of a folder, and the API for pull requests of GitHub. */
async function openGitHub(folder: string) {
  const pulls: { state: string; head: string; base: string }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname.startsWith('/api/repos/ada/site/pulls')) {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        if (request.headers.authorization !== 'Bearer secret') return response.writeHead(401).end('{}');
        if (request.method === 'POST') pulls.push({ state: 'open', ...JSON.parse(body) });
        const found = pulls.filter(
          ({ state, head }) => state === 'open' && `ada:${head}` === url.searchParams.get('head'),
        );
        response.end(JSON.stringify(found));
      });
      return;
    }
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'ada',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk) => chunks.push(chunk));
    backend.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      for (const line of all.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
        else response.setHeader(name, value);
      }
      response.end(all.subarray(end + 4));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pulls };
}

/** The commands of the action run in clones, with the program of this repository in place of `npx`. */
test('the action keeps one pull request, with the corrections in it and in main', async () => {
  const action = parse(await readFile(join(example, 'action.yml'), 'utf8'));
  const workflow = parse(await readFile(join(example, 'translate.yml'), 'utf8'));
  expect(workflow.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
  const scripts: string[] = action.runs.steps.map((step: { run: string }) => step.run);
  expect(scripts).toHaveLength(3);
  expect(scripts[1]).toContain('npx --yes --package "$GITHUB_ACTION_PATH/lingualoop-cli.tgz" lingualoop ');

  const bin = await testFolder();
  const npx = `#!/bin/sh\nshift 4; exec "${process.execPath}" "${root}/sdk/cli/src/main.ts" "$@"\n`;
  await writeFile(join(bin, 'npx'), npx);
  await writeFile(join(bin, 'node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  for (const name of ['npx', 'node']) await chmod(join(bin, name), 0o755);

  const mine = await openProject(app, {
    'locales/en/app.json': json({ open: 'Open', close: 'Close' }),
    'docs/guide.md': '# Guide\n\nHello.\n',
    'app/values/strings.properties': 'title=Title\n',
  });
  await copyFile(join(example, 'lingualoop.json'), join(mine.folder, 'lingualoop.json'));
  const served = await testFolder();
  const github = await openGitHub(served);
  const origin = join(served, 'site.git');
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: bin,
    ...mine.credentials,
    MAX_CHARACTERS: '1000',
    GITHUB_API_URL: `${github.url}/api`,
    GITHUB_REPOSITORY: 'ada/site',
    GITHUB_TOKEN: 'secret',
    GITHUB_ACTION_PATH: example,
    BASE: 'main',
    BRANCH: 'lingualoop-translations',
  };
  const sh = (script: string, cwd = mine.folder) =>
    run('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env });
  await run('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', origin]);
  await sh(`git init --quiet --initial-branch main && git config user.name ada && git config user.email ada@example.org &&
    git remote add origin "${github.url}/site.git" && git add --all && git commit --quiet --message Start && git push --quiet origin main`);

  /** Runs the action in a new clone of main, as a runner does. */
  const runAction = async () => {
    const clone = await testFolder();
    await sh(`git clone --quiet "${github.url}/site.git" .`, clone);
    // A file of an earlier step is not a translation.
    await writeFile(join(clone, 'build.log'), 'built');
    let out = '';
    for (const script of scripts) out += (await sh(script, clone)).stdout;
    return out;
  };
  const show = async (branch: string, path: string) =>
    (await run('git', ['show', `${branch}:${path}`], { cwd: origin })).stdout;
  /** Changes files of a branch, as a member does. */
  const push = async (branch: string, files: Record<string, string>) => {
    await sh(`git fetch --quiet && git switch --quiet --force-create ${branch} origin/${branch}`);
    for (const [path, content] of Object.entries(files)) await mine.write(path, content);
    await sh(`git commit --quiet --all --message Change && git push --quiet origin ${branch}`);
  };
  const pr = 'lingualoop-translations';

  await withWorkers(app, async () => {
    await runAction();
    expect(github.pulls).toMatchObject([{ head: pr, base: 'main', state: 'open' }]);
    const files = (await run('git', ['ls-tree', '-r', '--name-only', pr], { cwd: origin })).stdout;
    expect(files.trim().split('\n')).toEqual([
      'app/values-zh-rCN/strings.properties',
      'app/values/strings.properties',
      'docs/guide.de.md',
      'docs/guide.md',
      ...['pt_BR', 'zh-Hans'].map((code) => `docs/guide.${code}.md`),
      'lingualoop.json',
      'lingualoop.lock.json',
      ...['de', 'en', 'pt_BR', 'zh-Hans'].map((code) => `locales/${code}/app.json`),
    ]);

    // A reviewer corrects a text in the pull request, and main gets a new source.
    await push(pr, { 'locales/de/app.json': json({ open: 'Öffnen', close: '[de] Close' }) });
    await push('main', { 'locales/en/app.json': json({ open: 'Open', close: 'Close it' }) });
    const billed = await mine.billed();
    await runAction();
    expect(await show(pr, 'locales/de/app.json')).toBe(json({ open: 'Öffnen', close: '[de] Close it' }));
    expect(github.pulls).toHaveLength(1);
    // For Chinese, a character counts 3.5 times.
    expect((await mine.billed()) - billed).toBe((2 + 3.5) * 'Close it'.length);

    // It is merged, so nothing is left to do.
    await sh(`git fetch --quiet && git switch --quiet --force-create main origin/main &&
      git merge --quiet origin/${pr} && git push --quiet origin main`);
    github.pulls[0]!.state = 'closed';
    expect(await runAction()).toContain('Nothing was translated.');
    expect(github.pulls).toHaveLength(1);

    // A correction in main and a changed source open the next pull request.
    await push('main', {
      'docs/guide.de.md': (await show('main', 'docs/guide.de.md')).replace(/Hello\./, 'Hallo.'),
      'docs/guide.md': '# Guide\n\nHello.\n\nMore.\n',
    });
    await runAction();
    expect(github.pulls).toMatchObject([{ state: 'closed' }, { state: 'open' }]);
    expect(await show(pr, 'docs/guide.de.md')).toMatch(/ Hallo\.\n\n\S+ More\.\n$/);
  });
});

test('the action refuses the branch into which it merges, in one line', async () => {
  const env = { BASE: 'main\n::add-mask::x', GITHUB_API_URL: 'x', GITHUB_REPOSITORY: 'x', GITHUB_TOKEN: 'x' };
  const started = run(process.execPath, [join(example, 'pull-request.ts'), 'publish'], {
    cwd: await testFolder(),
    env: { ...env, BRANCH: env.BASE },
  });
  const { stderr } = await started.catch((error: { stderr: string }) => error);
  expect(stderr).toMatch(/^::error::the branch of the pull request is main%0A::add-mask::x, .*\n$/);
});
