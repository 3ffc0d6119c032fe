import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

const root = join(import.meta.dirname, '../..');
const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.log('skipped: this machine has no script(1), which makes a terminal');

test.skipIf(!hasScript)(
  'a terminal sees three lines with addresses, and warnings as one readable line each',
  async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-terminal-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const child = spawn('script', ['-qec', `${process.execPath} server/main.ts`, '/dev/null'], {
      cwd: root,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: '0',
        DATABASE_URL: database.url,
        SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
        DATA_DIR: folder,
        BILLING_ENABLED: 'true',
      },
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await poll(async () => seen.includes('Docs:') || undefined);
    // As Ctrl-C does.
    child.stdin.write('\u0003');
    await ended;
    const lines = seen
      .replaceAll('\r', '')
      .split('\n')
      .filter((line) => !/^(\^C)?$/.test(line));
    const base = /listens on (\S+)/.exec(seen)?.[1];
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d warning: No model is connected/),
      expect.stringMatching(/^\d\d:\d\d:\d\d warning: BILLING_ENABLED is on without STRIPE_SECRET_KEY/),
      `LinguaLoop listens on ${base}`,
      `Sign up:  ${base}/signin?found=true`,
      `Docs:     ${base}/docs/guides/ and ${base}/docs`,
    ]);
  },
);
