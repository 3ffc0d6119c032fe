import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.log('skipped: this machine has no script(1), which makes a terminal');

test.skipIf(!hasScript)(
  'a terminal sees three lines with addresses, and warnings as one readable line each',
  async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATA_DIR: await testFolder(),
      BILLING_ENABLED: 'true',
    };
    const command = ['-qec', `${process.execPath} server/main.ts`, '/dev/null'];
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const { child, ended, says, printed } = launch(command, env, { file: 'script', stdio: [...stdio] });
    await says('Docs:');
    // The character of Ctrl-C.
    child.stdin?.write('\u0003');
    await ended;
    const seen = printed().replaceAll('\r', '');
    const lines = seen.split('\n').filter((line) => !/^(\^C)?$/.test(line));
    const base = /listens on (\S+)/.exec(seen)?.[1];
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d warning: No model is connected/),
      expect.stringMatching(/^\d\d:\d\d:\d\d warning: BILLING_ENABLED is on, but STRIPE_SECRET_KEY/),
      `LinguaLoop listens on ${base}`,
      `Sign up:  ${base}/signin?found=true`,
      `Docs:     ${base}/docs/guides/ and ${base}/docs`,
    ]);
  },
);
