import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { result, useScriptedServer } from '#test/sdk/scripted-server.ts';
import { findFiles, keyOf } from '../../examples/batch-translate/tasks.ts';
import { translate } from '../../examples/batch-translate/translate.ts';

test('files are found in folders too, in order; hidden ones, other kinds and the out folder are left alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-find-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const file of [
    'b.txt',
    'a/B.MD',
    'a/c.png',
    '.hidden.txt',
    '.git/d.txt',
    'out/b.txt.fr.txt',
    'outer/e.xml',
    'README',
  ]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), 'x');
  }
  expect(await findFiles(folder, join(folder, 'out'))).toEqual(['a/B.MD', 'b.txt', 'outer/e.xml']);
});

test('the key says path, content, languages and domain, and nothing else', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const request = { from: 'en', domain: '' };
  const task = { file: 'a.txt', to: 'fr' };
  const key = keyOf(task, bytes('x'), request);
  expect(key).toMatch(/^batch-translate-[0-9a-f]{64}$/);
  expect(keyOf({ ...task }, bytes('x'), { ...request })).toBe(key);
  const others = [
    keyOf({ ...task, file: 'b.txt' }, bytes('x'), request),
    keyOf({ ...task, to: 'de' }, bytes('x'), request),
    keyOf(task, bytes('y'), request),
    keyOf(task, bytes('x'), { ...request, from: 'de' }),
    keyOf(task, bytes('x'), { ...request, domain: 'legal' }),
  ];
  expect(new Set([key, ...others]).size).toBe(6);
});

describe('a page that an interrupted run is still waiting for', () => {
  const server = useScriptedServer();
  const job = (status: string, error: string | null = null) => ({
    id: 'j',
    status,
    final_translation: status === 'published' ? '[fr] x' : null,
    agent_run: { error, quality_gate: null },
  });
  const run = (signal = new AbortController().signal) =>
    translate(
      new LinguaLoop({ baseUrl: server.address }),
      { name: 'a.txt', content: new Uint8Array(1), from: 'en', to: 'fr', domain: '', idempotencyKey: 'k' },
      'txt',
      signal,
      1,
    );

  test('is awaited', async () => {
    server.script(
      { status: 200, body: [job('pending')] },
      result(job('pending')),
      result(job('translated')),
      result(job('published')),
    );
    expect(await run()).toEqual({ kind: 'done', pages: ['[fr] x'] });
    expect(server.received).toHaveLength(4);
  });
});
