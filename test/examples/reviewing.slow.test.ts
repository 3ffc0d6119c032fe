import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { testFolder } from '#test/setup/launch.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';
import { runExample } from './start-example.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

const run = (example: string, ...parameters: string[]) =>
  runExample(example, { address: app.address, apiKey: mine.apiKey }, ...parameters);

const held = (source_text: string, target_lang = 'fr') =>
  mine.job({ source_text, target_lang, domain: 'legal' });

describe('xliff-round-trip.ts', () => {
  test('takes what waits to a file, and brings it back with its changes and states', async () => {
    const [changed, approved, untouched] = [await held('One'), await held('Two'), await held('Three')];
    const file = join(await testFolder(), 'waiting.xlf');
    expect(await run('xliff-round-trip.ts', 'export', file, '--from', 'en', '--to', 'fr')).toMatchObject({
      code: 0,
      stdout: `3 jobs in ${file}\n`,
      stderr: '',
    });
    const xliff = await readFile(file, 'utf8');
    const parts = xliff.split('<file ').map((part) => {
      if (part.includes(changed.id))
        return part.replace('[fr] One', 'Un').replace('state="translated"', 'state="final"');
      return part.includes(approved.id) ? part.replace('state="translated"', 'state="reviewed"') : part;
    });
    await writeFile(file, parts.join('<file '));
    const { code, stdout } = await run('xliff-round-trip.ts', 'import', file);
    expect([code, stdout.trim().split('\n').sort()]).toEqual([
      0,
      [`${changed.id} human_edited`, `${approved.id} published`, `${untouched.id} awaiting_review`].sort(),
    ]);
    expect((await mine.read(changed.id)).final_translation).toBe('Un');
  });

  test('leaves alone what somebody else has changed, says so, and does the others', async () => {
    const [taken, free] = [await held('One'), await held('Two')];
    const file = join(await testFolder(), 'waiting.xlf');
    await run('xliff-round-trip.ts', 'export', file);
    await mine.review(taken.id, { action: 'save', final_translation: 'of another' });
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('state="translated"', 'state="final"'));
    const { code, stdout, stderr } = await run('xliff-round-trip.ts', 'import', file);
    expect([code, stdout]).toEqual([1, `${free.id} published\n`]);
    expect(stderr).toMatch(new RegExp(`^${taken.id} 409 .*unit "text" \\(line \\d+\\)`));
    expect((await mine.read(taken.id)).final_translation).toBe('of another');
  });

  test('says what is wrong', async () => {
    expect(await run('xliff-round-trip.ts', 'export', join(await testFolder(), 'a.xlf'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^404 /),
    });
    expect((await run('xliff-round-trip.ts', 'export')).code).toBe(2);
  });
});

describe('review-from-a-script.ts', () => {
  test('approves what the checks find nothing in, and leaves the rest to a person', async () => {
    const [fine, french] = [await held('A lease.'), await held('Ein Vertrag.', 'de')];
    const low = await mine.job({ source_text: 'Low', metadata: { min_quality_score: 100 } });
    const spoiled = await held('Pay {amount} by May 5');
    await mine.review(spoiled.id, { action: 'save', final_translation: 'Payez' });
    const tried = await run('review-from-a-script.ts', '--to', 'fr', '--dry-run');
    expect([tried.code, tried.stderr, tried.stdout]).toEqual([
      0,
      '',
      expect.stringContaining(`${fine.id} would be approved`),
    ]);
    expect((await mine.read(fine.id)).status).toBe('awaiting_review');
    const { code, stdout } = await run('review-from-a-script.ts', '--to', 'fr');
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 approved, 2 left to a person')]);
    expect(stdout).toContain(`${low.id} is left: low_quality_score`);
    expect(stdout).toMatch(new RegExp(`${spoiled.id} is left: .*\\{amount\\}`));
    const statuses = await Promise.all(
      [fine, french, low, spoiled].map(async ({ id }) => (await mine.read(id)).status),
    );
    expect(statuses).toEqual(['published', 'awaiting_review', 'awaiting_review', 'awaiting_review']);
  });
});
