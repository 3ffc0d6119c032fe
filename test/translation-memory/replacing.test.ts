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

/** Requests a text again and again while `work` runs; returns what served each request, and with which target. */
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

  test('a glossary too', async () => {
    const lines = (word: string) => Array.from({ length: 100 }, (_, n) => `term of ${n},${word} ${n}`);
    await mine.glossary(lines('blanche'));
    const seen = await askWhile('term of 7', async () => {
      for (let n = 1; n <= 12; n += 1) await mine.glossary(lines(n % 2 === 0 ? 'blanche' : 'noire'));
    });
    expect([...seen.keys()].toSorted()).toEqual(['glossary_exact: blanche 7', 'glossary_exact: noire 7']);
  });
});

describe('all at once: imports, glossaries, approvals, deletions, exports', () => {
  test('every response is in the specification, and the final state is consistent', async () => {
    const unexpected: unknown[] = [];
    const allow =
      (...statuses: number[]) =>
      (answer: { status: number; body?: unknown }) => {
        if (!statuses.includes(answer.status)) unexpected.push([answer.status, answer.body]);
        return answer;
      };
    const approve = async (n: number) => {
      const { id } = await mine.job({ source_text: `one sentence ${n}`, domain: 'legal' });
      allow(200)(await mine.review(id, { action: 'modify', final_translation: `approuvée ${n}` }));
      if (n % 3 === 0) allow(200)(await mine.remove(id, mine.admin));
    };
    await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        if (n % 4 === 0) {
          const { status, body } = allow(
            200,
            409,
          )(await mine.importFile(tmx(pairs(30)), { name: `set ${n % 3}` }));
          if (status === 200 && n % 8 === 0)
            allow(204, 404, 409)(await mine.removeMemory((body as { id: string }).id));
        }
        if (n % 4 === 1) allow(200)(await mine.uploadFile(`term ${n},terme ${n}`, { name: `set ${n % 3}` }));
        if (n % 4 === 2) allow(200, 404)(await mine.exportGolden('?source_lang=en&target_lang=fr'));
        await approve(n);
      }),
    );
    expect(unexpected).toEqual([]);
    const golden = (await mine.memories()).find(
      ({ name }: { name: string }) => name === 'golden-approved-en-fr',
    );
    const { text } = await mine.exportMemory(golden.id);
    expect(text.match(/<tu[ >]/g)).toHaveLength(16);
    for (const n of [1, 2, 4]) {
      const job = await mine.job({ source_text: `one sentence ${n}` });
      expect(job.final_translation).toBe(`approuvée ${n}`);
    }
  });
});
