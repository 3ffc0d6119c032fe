import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '#test/setup/app.ts';
import { startService } from '#test/setup/service.ts';
import { measureAttack } from './measure-attack.ts';
import { attackOfStranger, strikes } from './strangers.ts';

/** Milliseconds. A busy machine takes a part of it; an input that is compiled takes ten times as long. */
const limit = 2000;

test.each(Object.entries(strikes))('%s: a stranger delays no other client', async (_, strike) => {
  const { healthz, figures } = await measureAttack(attackOfStranger(strike, 4), { settleSeconds: 0 });
  expect(figures).toMatchObject({ 'statuses of the stranger': '401', 'failed texts': 0 });
  expect(figures['texts']).toBeGreaterThan(0);
  expect(figures['slowest answer to the stranger, ms']).toBeLessThan(limit);
  expect(figures['text p99, ms']).toBeLessThan(limit);
  expect([healthz.failed, healthz.max < limit]).toEqual([0, true]);
});

test('a process under this attack ends at SIGTERM', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-abuse-'));
  const service = await startService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  try {
    const { request } = connect(service.address);
    const { method, path, body } = strikes['stranger-long-rules'];
    const headers = { 'content-type': 'application/json' };
    const answers = Array.from({ length: 20 }, () => request(path, { method, headers, body }));
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([401]));
    const later = Array.from({ length: 20 }, () => request(path, { method, headers, body }).catch(() => {}));
    expect(await service.stop()).toBe(0);
    await Promise.all(later);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
