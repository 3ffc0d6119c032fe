import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const program = `
  const { createRequire } = await import('node:module');
  const { checkPlausibility } = await import('./server/translation/plausibility/index.ts');
  const areLoaded = () =>
    Object.keys(createRequire(process.cwd() + '/').cache).some((file) => file.endsWith('/language-profiles.ts'));
  console.log(areLoaded());
  checkPlausibility({
    sourceText: 'The door is open on weekdays.',
    targetText: 'Die Tür ist an Werktagen geöffnet.',
    sourceLang: 'en',
    targetLang: 'de',
  });
  console.log(areLoaded());`;

it('the profiles of languages are loaded by the first text that needs them, not before', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(printed).toBe('false\ntrue\n');
});
