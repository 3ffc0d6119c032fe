import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

test('a caller who is not known does not hold up other requests by a long text for fifty targets', async () => {
  // The slowest to judge: words of one letter, in a language that they are not stated in.
  const Text = 'a b c d e f g h i '.repeat(2770);
  const Targets = Array.from({ length: 50 }, () => ({ Language: 'de' }));
  const body = { inputs: [{ Text, Language: 'fr', Targets }] };
  const ask = () => app.json('POST', '/api/translations', { body });
  // Loads the profiles of languages.
  await ask();
  const pauses = monitorEventLoopDelay({ resolution: 5 });
  pauses.enable();
  const { status } = await ask();
  pauses.disable();
  expect(status).toBe(401);
  expect(pauses.max / 1e6).toBeLessThan(300);
});
