import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { CurrentIsolation, type FoundIsolation } from '#server/platform/sandbox/isolation.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '#test/translation-memory/sets.ts';
import { tmx } from '#test/translation-memory/tmx.ts';
import { openTestSandbox } from './open-sandbox.ts';

/** An isolation program that ends without starting the process. */
const forbidden: FoundIsolation = {
  level: 'namespaces',
  nested: false,
  command: () => [process.execPath, '--eval', 'process.exit(1)'],
  incomplete: false,
};
const open: FoundIsolation = {
  level: 'node',
  nested: false,
  command: ({ node }) => [node],
  incomplete: false,
};

/** Returns these isolations one after the other, and then always the last one. */
function finding(...barriers: FoundIsolation[]): CurrentIsolation {
  return new CurrentIsolation(async () => (barriers.length > 1 ? barriers.shift()! : barriers[0]!));
}

const notStarted = { name: 'SandboxError', reason: 'not_started' };

describe('a process that does not start', () => {
  it.each([
    ['its isolation is forbidden', forbidden],
    ['its program is not there', { ...forbidden, command: () => ['/nowhere/unshare'] }],
  ])(
    'is reported as not_started: %s; the isolation is detected again, and the next one starts',
    async (_, isolation) => {
      const sandbox = openTestSandbox({ processes: 1, isolation: finding(isolation, open) });
      await expect(sandbox.run('echo', 1)).rejects.toMatchObject(notStarted);
      expect(sandbox.processIds).toEqual([]);
      expect(await sandbox.run('echo', 2)).toBe(2);
      // If the process ends after its start, this is attributed to the task.
      await expect(sandbox.run('exit', 1)).rejects.toMatchObject({ reason: 'crashed' });
    },
  );

  it('one that is not ready in time is reported alike', async () => {
    const hangs = {
      ...forbidden,
      command: () => [process.execPath, '--eval', 'setInterval(() => {}, 1000)'],
    };
    const sandbox = openTestSandbox({ processes: 1, isolation: finding(hangs) });
    await expect(sandbox.run('echo', 1, { timeMs: 300 })).rejects.toMatchObject(notStarted);
  });

  it('drops no isolation if a new one could not be tried either; changes are logged', async () => {
    const isolation = finding(forbidden, { ...open, incomplete: true }, open);
    const logged: string[] = [];
    await isolation.follow(({ level }) => logged.push(level));
    isolation.redetect();
    expect((await isolation.get()).level).toBe('namespaces');
    isolation.redetect();
    isolation.redetect();
    expect((await isolation.get()).level).toBe('node');
    expect(logged).toEqual(['namespaces', 'node']);
  });

  it('for lack of descriptors ends nothing, and the next one starts when there are some', async ({
    skip,
  }) => {
    if (process.platform === 'win32') skip();
    const program = `
      const { openSync, closeSync } = await import('node:fs');
      const { Sandbox } = await import('${new URL('../../server/platform/sandbox/sandbox.ts', import.meta.url).href}');
      const sandbox = new Sandbox(new URL('${new URL('./tasks.ts', import.meta.url).href}'), {},
        ['network-attempts', 'probes'].map((name) => new URL('./' + name + '.ts', '${import.meta.url}')));
      const { systemIsolation } = await import('${new URL('../../server/platform/sandbox/isolation.ts', import.meta.url).href}');
      await systemIsolation.get();
      const taken = [];
      try { for (;;) taken.push(openSync('/dev/null')); } catch {}
      const first = await sandbox.run('echo', 1).catch(({ reason }) => reason);
      for (const descriptor of taken) closeSync(descriptor);
      console.log(first, await sandbox.run('echo', 2));
      await sandbox.close();`;
    const { stdout } = await promisify(execFile)('/bin/sh', [
      '-c',
      'ulimit -n 200; exec "$0" --input-type=module --eval "$1"',
      process.execPath,
      program,
    ]);
    expect(stdout.trim()).toBe('not_started 2');
  });
});

describe('when no process starts for a file', () => {
  let found = forbidden;
  const app = useTestApp({
    env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
    fileWork: { isolation: new CurrentIsolation(async () => found) },
  });
  let mine: Sets;
  let headers: Record<string, string>;
  let job: string;
  beforeAll(async () => {
    mine = await openSets(app);
    ({ headers } = await app.signUp());
    const { body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    job = body.id;
  });

  const answerOf = async (answer: Response) => ({
    status: answer.status,
    headers: answer.headers,
    body: answer.status === 200 ? null : await answer.json(),
  });
  const requests = {
    'a file to translate': async () =>
      answerOf(
        await app.request('/api/translations?target_lang=fr', {
          method: 'POST',
          headers: { ...headers, 'content-type': 'text/html' },
          body: '<p>Hello</p>',
        }),
      ),
    'a glossary': () => mine.uploadFile('ledger,livre', { name: 'glossary' }),
    'a memory': () => mine.importFile(tmx([['Hello', 'Bonjour']]), { name: 'memory' }),
    'a golden record': async () =>
      answerOf(await app.request(`/api/translations/${job}/golden?format=pdf`, { headers })),
  };

  it('each is 503 with Retry-After, and is served once one does', async () => {
    for (const [what, send] of Object.entries(requests)) {
      const { status, body, headers: answered } = await send();
      expect([what, status, body?.error_code]).toEqual([what, 503, 'transient_error']);
      expect(body.detail).toBe('no process can be started for the file now; try again later');
      expect(Number(answered.get('retry-after'))).toBeGreaterThan(0);
    }
    found = open;
    // After one more failed start, each pool detects the available isolation again.
    for (const send of Object.values(requests)) await send();
    for (const [what, send] of Object.entries(requests))
      expect([what, (await send()).status]).toEqual([what, 200]);
  });
});
