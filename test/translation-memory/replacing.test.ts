import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { fastPathOf } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

/** Requests a text repeatedly while `work` runs. Returns how each request was served, and with which translation. */
async function askWhile(source_text: string, work: () => Promise<unknown>): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  let open = true;
  const asking = (async () => {
    while (open) {
      const job = await mine.job({ source_text });
      const key = `${fastPathOf(job)}: ${job.final_translation}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  })();
  try {
    await work();
  } finally {
    open = false;
    await asking;
  }
  return seen;
}

describe('a set that is replaced while texts are translated', () => {
  test('a memory is the old one or the new one, at every moment', async () => {
    const files = ['blanche', 'noire'].map((word) => tmx(pairs(40, 'sentence', word)));
    await mine.importFile(files[0]!);
    const seen = await askWhile('one sentence 7', async () => {
      for (let n = 1; n <= 12; n += 1) expect((await mine.importFile(files[n % 2]!)).status).toBe(200);
    });
    expect([...seen.keys()].toSorted()).toEqual(['tm_exact: une blanche 7', 'tm_exact: une noire 7']);
  });
});
