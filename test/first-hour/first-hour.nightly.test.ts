import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShell } from '#test/docs/shell.ts';
import { root, type Snippet, snippetsOf } from '#test/docs/snippets.ts';

/** The reason why the repository cannot be cloned for this test; undefined if it can. */
const withoutClone = cloneable() ? undefined : 'this folder is no git repository with a commit';
if (withoutClone) console.log(`The README is not followed on a clone: ${withoutClone}.`);

function cloneable(): boolean {
  try {
    execFileSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Follows the README like a person who has only a clone of the repository: all files that it names must exist, and its
 * commands must work in order. There is one difference: instead of `npm ci`, the packages of this installation are
 * linked.
 */
describe.skipIf(withoutClone)('the first hour, by the README alone', () => {
  let folder: string;
  let port: number;
  let service: ReturnType<typeof startService>;
  let readme: string;
  let blocks: Snippet[];

  beforeAll(async () => {
    // The clone is on the same file system as the packages, so that they can be linked. Git ignores .data.
    await mkdir(join(root, '.data'), { recursive: true });
    folder = join(await mkdtemp(join(root, '.data/first-hour-')), 'lingualoop');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder]);
    readme = await readFile(join(folder, 'README.md'), 'utf8');
    blocks = snippetsOf('README.md', readme).filter(({ reason }) => reason === undefined);
    port = await freePort();
  });
  afterAll(async () => {
    service?.kill('SIGKILL');
    if (folder) await rm(join(folder, '..'), { recursive: true, force: true, maxRetries: 5 });
  });

  const env = () => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    PORT: String(port),
    ...{ npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
  });
  const here = (text: string) => text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);

  test('the first block installs and starts, and the service says where it listens', {
    timeout: 60_000,
  }, async () => {
    const [first] = blocks;
    expect(first?.code).toBe('npm ci\nnpm start\n');
    expect(readme).toContain('The service listens on <http://127.0.0.1:8080>.');
    await linkPackages(join(folder, 'node_modules'));
    await cp(join(root, 'web/dist'), join(folder, 'web/dist'), { recursive: true });
    service = startService(folder, env());
    expect(await service.address).toBe(`http://127.0.0.1:${port}`);
  });

  test('the other blocks work, in their order', { timeout: 120_000 }, async () => {
    const commands = blocks.slice(1);
    expect(commands.map(({ language }) => language)).toEqual(commands.map(() => 'sh'));
    const { printed, variables } = await runShell(commands, {
      place: folder,
      env: env(),
      longest: 110_000,
      adapt: here,
    });
    expect(variables['KEY']).toMatch(/^\S{20,}$/);
    expect(printed).toContain('"final_translation":"[fr] Hello, world"');
    expect(printed).toContain('published [fr] Good morning');
  });

  test('the addresses that it names are pages', async () => {
    const addresses = [...readme.matchAll(/<(http:\/\/127\.0\.0\.1:8080[^>]*)>/g)].map(
      ([, one]) => one as string,
    );
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      const response = await fetch(here(address));
      expect([address, response.status]).toEqual([address, 200]);
      expect(response.headers.get('content-type')).toContain('text/html');
    }
  });

  test('Ctrl-C stops the service and its database', { timeout: 60_000 }, async () => {
    expect(await readdir(join(folder, '.data/postgres'))).toContain('postmaster.pid');
    service.kill('SIGINT');
    expect(await service.ended).toBe(0);
    expect(await readdir(join(folder, '.data/postgres'))).not.toContain('postmaster.pid');
  });
});

/** Creates hard links if `cp` supports them, because the sandbox cannot read files outside of its directory. */
async function linkPackages(to: string): Promise<void> {
  const from = join(root, 'node_modules');
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' });
  } catch {
    await cp(from, to, { recursive: true, verbatimSymlinks: true, force: true });
  }
}

/** Runs `npm start` like a terminal: signals are sent to npm and to the service. */
function startService(cwd: string, env: Record<string, string>) {
  const child = spawn('npm', ['start'], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const address = new Promise<string>((resolve, reject) => {
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        const found = /LinguaLoop listens on ([^\s"]+)/.exec(printed)?.[1];
        if (found) resolve(found);
      });
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${printed}`)));
  });
  address.catch(() => {});
  return {
    address,
    ended,
    kill(signal: NodeJS.Signals) {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), signal);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
