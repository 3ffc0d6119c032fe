import { afterAll, describe, expect, test } from 'vitest';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { startLoggedService } from '#test/setup/logged-service.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());

describe('a link that sets a new password', () => {
  test('leaves its token in no log, even if somebody sends it as a query', async () => {
    const service = await startLoggedService({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
    const response = await service.request('/signin?reset_token=never-logged-4711#reset_token=nor-this');
    expect(response.status).toBe(200);
    const printed = await service.finish();
    expect(printed).toContain('"route":"/signin"');
    expect(printed).not.toMatch(/never-logged|nor-this/);
  });
});

describe('at its start', () => {
  const notice = /^No model is connected \(OPENAI_API_KEY is not set\): the stub engine only prefixes/;
  const key = { SECRETS_KEY: Buffer.alloc(32).toString('base64') };

  test('a service without a model says so, with its address and in a warning', async () => {
    const service = await startLoggedService(key);
    const lines = (await service.finish()).trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged.map(({ msg }) => msg)).toContain(
      `LinguaLoop listens on ${service.address} with the stub engine`,
    );
    const warnings = logged.filter(({ level, msg }) => level === 40 && notice.test(msg));
    expect(warnings).toHaveLength(1);
  });
});
