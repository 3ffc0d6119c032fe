import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { longestTurn } from '#test/setup/cpu-time.ts';

const app = useTestApp();

test('a caller who is not known does not hold up other requests by a long text for fifty targets', async () => {
  // The text for which the check takes the longest: words of one letter, sent with a wrong language.
  const Text = 'a b c d e f g h i '.repeat(2770);
  const Targets = Array.from({ length: 50 }, () => ({ Language: 'de' }));
  const body = { inputs: [{ Text, Language: 'fr', Targets }] };
  const ask = () => app.json('POST', '/api/translations', { body });
  // The first request loads the profiles of the languages.
  await ask();
  const longest = () => longestTurn(async () => expect((await ask()).status).toBe(401));
  expect(Math.min(await longest(), await longest())).toBeLessThan(300);
});
