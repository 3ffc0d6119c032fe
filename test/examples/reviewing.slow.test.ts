import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Workspace;
let folder: string;
beforeEach(async () => {
  mine = await openWorkspace(app);
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-reviewing-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(example: string, ...parameters: string[]) {
  const script = join(import.meta.dirname, '../../examples', example);
  const env = {
    PATH: process.env['PATH'] ?? '',
    LINGUALOOP_URL: app.address,
    LINGUALOOP_API_KEY: mine.apiKey,
  };
  const child = spawn(process.execPath, [script, ...parameters], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, errors };
}

const held = (source_text: string, target_lang = 'fr') =>
  mine.job({ source_text, target_lang, domain: 'legal' });

describe('xliff-round-trip.ts', () => {
  test('takes what waits to a file, and brings it back with its changes and states', async () => {
    const [changed, approved, untouched] = [await held('One'), await held('Two'), await held('Three')];
    const file = join(folder, 'waiting.xlf');
    expect(await run('xliff-round-trip.ts', 'export', file, '--from', 'en', '--to', 'fr')).toEqual({
      code: 0,
      out: `3 jobs in ${file}\n`,
      errors: '',
    });
    const xliff = await readFile(file, 'utf8');
    const parts = xliff.split('<file ').map((part) => {
      if (part.includes(changed.id))
        return part.replace('[fr] One', 'Un').replace('state="translated"', 'state="final"');
      return part.includes(approved.id) ? part.replace('state="translated"', 'state="reviewed"') : part;
    });
    await writeFile(file, parts.join('<file '));
    const { code, out } = await run('xliff-round-trip.ts', 'import', file);
    expect([code, out.trim().split('\n').sort()]).toEqual([
      0,
      [`${changed.id} human_edited`, `${approved.id} published`, `${untouched.id} awaiting_review`].sort(),
    ]);
    expect((await mine.read(changed.id)).final_translation).toBe('Un');
  });

  test('leaves alone what somebody else has changed, says so, and does the others', async () => {
    const [taken, free] = [await held('One'), await held('Two')];
    const file = join(folder, 'waiting.xlf');
    await run('xliff-round-trip.ts', 'export', file);
    await mine.review(taken.id, { action: 'save', final_translation: 'of another' });
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('state="translated"', 'state="final"'));
    const { code, out, errors } = await run('xliff-round-trip.ts', 'import', file);
    expect([code, out]).toEqual([1, `${free.id} published\n`]);
    expect(errors).toMatch(new RegExp(`^${taken.id} 409 .*unit "text" \\(line \\d+\\)`));
    expect((await mine.read(taken.id)).final_translation).toBe('of another');
  });

  test('says what is wrong', async () => {
    expect(await run('xliff-round-trip.ts', 'export', join(folder, 'a.xlf'))).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^404 /),
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
    expect([tried.code, tried.errors, tried.out]).toEqual([
      0,
      '',
      expect.stringContaining(`${fine.id} would be approved`),
    ]);
    expect((await mine.read(fine.id)).status).toBe('awaiting_review');
    const { code, out } = await run('review-from-a-script.ts', '--to', 'fr');
    expect([code, out]).toEqual([0, expect.stringContaining('1 approved, 2 left to a person')]);
    expect(out).toContain(`${low.id} is left: low_quality_score`);
    expect(out).toMatch(new RegExp(`${spoiled.id} is left: .*\\{amount\\}`));
    const statuses = await Promise.all(
      [fine, french, low, spoiled].map(async ({ id }) => (await mine.read(id)).status),
    );
    expect(statuses).toEqual(['published', 'awaiting_review', 'awaiting_review', 'awaiting_review']);
  });
});
