import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { redactSettings, settingNames, settingsInFiles } from '#server/settings/environment.ts';
import { readSettings, SettingsError } from '#server/settings.ts';
import { testFolder } from '#test/setup/launch.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

const samples: Record<(typeof settingsInFiles)[number], string> = {
  DATABASE_URL: 'postgres://user:hunter2@localhost:5432/db',
  DATABASE_MIGRATION_URL: 'postgres://owner:hunter2@localhost:5432/db',
  OPERATOR_API_KEY: 'an-operator-key-0123456789',
  SERVICE_API_KEY: 'a-service-key-0123456789',
  OIDC_CLIENT_SECRET: 'a secret with spaces ',
  OPENAI_API_KEY: 'sk-test',
  ENGINES: '{"engines":{"deepl":{"kind":"deepl","api_key":"hunter2"}}}',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  SECRETS_KEY: KEY,
  SECRETS_KEY_PREVIOUS: KEY,
  MAIL_SERVER: '{"url":"smtp://user:hunter2@mail.example.org:587","from":"a@b.example"}',
  PLATFORM_STORAGE_URL: 'https://acct.dfs.core.windows.net/files?sv=2025&sig=hunter2',
};

async function secretFile(content: string | Buffer): Promise<string> {
  const path = join(await testFolder(), 'secret');
  await writeFile(path, content);
  return path;
}

function refusal(env: Record<string, string>): string {
  try {
    readSettings(env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error('the settings are accepted');
}

test.each(settingsInFiles)('%s_FILE: the value is the content without the last line break', async (name) => {
  for (const end of ['', '\n', '\r\n']) {
    const path = await secretFile(samples[name] + end);
    const settings = readSettings({ [`${name}_FILE`]: path, [name]: '' });
    expect(settings[name]).toEqual(readSettings({ [name]: samples[name] })[name]);
    expect(JSON.stringify(redactSettings(settings))).not.toContain('hunter2');
  }
});

test('every setting that is named like a secret can be in a file', () => {
  const notSecret = /_ENABLED$|_SECONDS$|_PER_DAY$|^ALLOW_/;
  const secrets = settingNames.filter(
    (name) => /KEY|SECRET|PASSWORD|TOKEN/.test(name) && !notSecret.test(name),
  );
  expect(secrets.length).toBeGreaterThan(7);
  expect(settingsInFiles).toEqual(expect.arrayContaining(secrets));
});

test('a setting is either in the environment or in a file', async () => {
  const OPENAI_API_KEY_FILE = await secretFile('hunter2');
  const message = refusal({ OPENAI_API_KEY: 'hunter3', OPENAI_API_KEY_FILE });
  expect(message).toBe('OPENAI_API_KEY_FILE: must not be set if OPENAI_API_KEY is set');
  expect(readSettings({ OPENAI_API_KEY: 'hunter3', OPENAI_API_KEY_FILE: '' }).OPENAI_API_KEY).toBe('hunter3');
});

test.each<[string, string | Buffer]>([
  ['is empty', ''],
  ['is empty', '\n'],
  ['has more than one line', 'hunter2\n\n'],
  ['has more than one line', 'hunter2\nhunter3'],
  ['is not UTF-8 text', Buffer.from([104, 117, 255])],
  ['has 10001 bytes; a secret has at most 10000', 'h'.repeat(10_001)],
])(
  'a file that %s is an error with its variable and path, and without its content',
  async (problem, content) => {
    const OPERATOR_API_KEY_FILE = await secretFile(content);
    const message = refusal({ OPERATOR_API_KEY_FILE });
    expect(message).toBe(`OPERATOR_API_KEY_FILE: ${JSON.stringify(OPERATOR_API_KEY_FILE)} ${problem}`);
  },
);

test('a path without a file is an error with its variable and path', async () => {
  const folder = await testFolder();
  const missing = join(folder, 'missing');
  expect(refusal({ SECRETS_KEY_FILE: missing })).toBe(`SECRETS_KEY_FILE: "${missing}" does not exist`);
  expect(refusal({ SECRETS_KEY_FILE: folder })).toBe(`SECRETS_KEY_FILE: "${folder}" is not a file`);
});

test.skipIf(process.getuid?.() === 0)('a file that the process may not read is an error', async () => {
  const path = await secretFile('hunter2');
  await chmod(path, 0);
  expect(refusal({ SECRETS_KEY_FILE: path })).toMatch(/^SECRETS_KEY_FILE: .* cannot be read .*EACCES/);
});

test('a file below a file cannot be read', async () => {
  const path = join(await secretFile('hunter2'), 'below');
  expect(refusal({ SECRETS_KEY_FILE: path })).toMatch(/^SECRETS_KEY_FILE: .* cannot be read .*ENOTDIR/);
});

test('an invalid value names the variable of its file, and not the value', async () => {
  const SECRETS_KEY_FILE = await secretFile('hunter2');
  expect(refusal({ SECRETS_KEY_FILE })).toBe('SECRETS_KEY_FILE: must be 32 bytes in base64');
  const DATABASE_URL_FILE = await secretFile('mysql://user:hunter2@localhost/db');
  const message = refusal({ DATABASE_URL_FILE });
  expect(message).toMatch(/^DATABASE_URL_FILE: must be a URL that starts with postgres/);
  expect(message).not.toContain('hunter2');
});
