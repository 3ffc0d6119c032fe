import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { excessOf, linesOf } from './words.ts';

const root = join(import.meta.dirname, '../..');

const anew = { name: 'anew', pattern: /\banew\b/, goal: 0 };
const lines = [
  ...linesOf('web/pages/home.md', 'Begin anew.'),
  ...linesOf('docs/quick-start.md', 'Begin anew.\nBegin again.'),
  ...linesOf('docs/gallery/README.md', 'Begin anew.'),
  ...linesOf('server/x.ts', "// begin anew\nconst anew = 'begin';\nconst text = 'begin anew';"),
  ...linesOf('server/identity/mail/words/fr.ts', "subject: 'anew',"),
  ...linesOf('test/x.test.ts', "test('begins anew', () => {\n  call('anew');"),
];

test('a pattern is counted in each set of texts, and a count above its limit is printed with its lines', () => {
  expect(excessOf({ ...anew, limits: [1, 1, 1, 1, 1] }, lines)).toEqual([]);
  expect(excessOf({ ...anew, limits: [1, 0, 1, 0, 1] }, lines)).toEqual([
    '"anew" in guides: 1 lines, limit 0',
    '  docs/quick-start.md:1: Begin anew.',
    '"anew" in comments: 1 lines, limit 0',
    '  server/x.ts:1: // begin anew',
  ]);
  expect(
    excessOf({ ...anew, limits: [0, 1, 0, 1, 0] }, lines).filter((line) => line.startsWith('"')),
  ).toEqual([
    '"anew" in interface: 1 lines, limit 0',
    '"anew" in messages: 1 lines, limit 0',
    '"anew" in titles: 1 lines, limit 0',
  ]);
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commit-message-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The output of the hook that checks commit messages; empty if the hook accepts the message. */
async function checkMessage(message: string): Promise<string> {
  const file = join(folder, 'message');
  await writeFile(file, `${message}\n# On branch main\n`);
  const run = promisify(execFile)('sh', [join(root, '.githooks/commit-msg'), file]);
  return run.then(
    () => '',
    (error) => error.stderr,
  );
}

test.each([
  'Reject empty invite tokens',
  'Reject empty invite tokens\n\nThe column is not null.',
  'Need a verified email for invites',
  "Merge branch 'main' into a-branch-with-a-name-that-makes-this-subject-longer-than-72-characters",
])('the hook accepts the message %j', async (message) => {
  expect(await checkMessage(message)).toBe('');
});

test.each([
  ['Reject empty invite tokens, which the form of the sign-up page sent before', 'longer than 72'],
  ['reject empty invite tokens', 'capitalized'],
  ['Reject empty invite tokens.', 'dot'],
  ['The empty invite token is rejected', 'not a verb'],
  ['Rejected empty invite tokens', 'not an imperative'],
  ['Rejects empty invite tokens', 'not an imperative'],
  ['Rejecting empty invite tokens', 'not an imperative'],
  ['Reject empty invite tokens\nThe column is not null.', 'second line'],
  ['', 'capitalized'],
])('the hook rejects the message %j', async (message, problem) => {
  expect(await checkMessage(message)).toContain(problem);
});
