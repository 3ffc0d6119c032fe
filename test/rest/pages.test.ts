import { expect, test } from 'vitest';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { liveEngine } from '#test/translations/live.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await useFakeOpenAi();
const app = useTestApp({ env: { ...env, BASE_URL: 'https://lingua.example.org/it&s' } });
const live = useTestApp({ env, engine: liveEngine(fake) });

test('GET / says when no model is connected, and only then', async () => {
  expect(await (await app.request('/')).text()).toContain('No model is connected');
  expect(await (await live.request('/')).text()).not.toContain('No model');
});
