import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureEdit, measureEditAtOnce } from '#server/review/edit-distance.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env, engine: engineOf(async () => answered(['Bonjour le monde.'], 7)) });

const mine = useReviewers(app);

const ask = (input: Fields = {}, as: Person = mine.founder) =>
  viaRpc(app, { path: 'reviews.byReviewer', type: 'query' }, { input, headers: as.bearer });
const reported = async (input: Fields = {}, as?: Person): Promise<Fields[]> =>
  (await ask(input, as)).body.reviewers;

let jobs = 0;

/**
 * Creates a job and reviews it with the version that the reviewer saw. Each job has another source text that is not in
 * the TM.
 */
async function reviewed(review: Fields, as: Person = mine.founder): Promise<Fields> {
  const { id: job_id, updated_at } = await mine.held({ source_text: `Hello${'!'.repeat(++jobs)}` });
  return mine.call('translations.act', { job_id, updated_at, ...review }, as);
}

const nothing = {
  ...{ approved: 0, edited: 0, rejected: 0, measured: 0 },
  ...{ words: 0, edits: 0, timed: 0, worked_ms: 0 },
};

describe('the figures of reviewers', () => {
  test('each decision of a member, how much of the text was changed, and the time that is known', async () => {
    const colleague = await mine.join();
    await reviewed({ action: 'approve', worked_ms: 4000 });
    await reviewed({ action: 'approve', final_translation: 'Bonjour à tout le monde.' });
    await reviewed({ action: 'reject', worked_ms: 1000 });
    await reviewed({ action: 'modify', final_translation: 'Salut le monde.', worked_ms: 9000 }, colleague);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.from < body.to).toBe(true);
    expect(body.reviewers).toEqual([
      {
        ...{ user_id: mine.founder.userId, email: mine.founder.email },
        ...{ approved: 1, edited: 1, rejected: 1 },
        ...{ measured: 2, words: 4 + 6, edits: 2, timed: 2, worked_ms: 5000 },
      },
      {
        ...nothing,
        ...{ user_id: colleague.userId, email: colleague.email },
        ...{ edited: 1, measured: 1, words: 4, edits: 1, timed: 1, worked_ms: 9000 },
      },
    ]);
  });

  test('the comparison is with the pipeline’s text, whoever saved drafts in between', async () => {
    const colleague = await mine.join();
    const saved = await reviewed(
      { action: 'save', final_translation: 'Autre chose.', worked_ms: 5 },
      colleague,
    );
    expect(await reported()).toEqual([]);
    await mine.call('translations.act', {
      job_id: saved['id'],
      updated_at: saved['updated_at'],
      action: 'approve',
      final_translation: 'Bonjour le monde !',
    });
    expect(await reported()).toMatchObject([{ approved: 0, edited: 1, words: 4, edits: 1, timed: 0 }]);
  });

  test('reviews in bulk and over REST have no time; those of a key count for no member', async () => {
    const [one, two, three] = await Promise.all([mine.held(), mine.held(), mine.held()]);
    await mine.call('translations.reviewMany', {
      reviews: [{ job_id: one.id, action: 'approve', confirm_unopened: true }],
    });
    await mine.review(two.id, { action: 'approve' });
    await app.json('POST', `/api/translations/${three.id}/review`, {
      headers: mine.founder.key,
      body: { action: 'approve', reviewer: mine.founder.email },
    });
    expect(await reported()).toMatchObject([{ approved: 2, measured: 2, timed: 0, worked_ms: 0 }]);
  });

  test('a long text is compared after its review; markup is no text', async () => {
    const long = { final_translation: 'mot '.repeat(12_500), confirm_critical: true };
    await reviewed({ action: 'approve', ...long });
    await expect.poll(() => reported()).toMatchObject([{ edited: 1, measured: 1, words: 12_500 }]);
    const html = await mine.held({ source_text: '<p>Hello</p>', text_type: 'Html' });
    await mine.call('translations.act', {
      job_id: html.id,
      updated_at: html.updated_at,
      action: 'approve',
      final_translation: `<p class="a b c d e f g">${html.final_translation}</p>`,
    });
    expect(await reported()).toMatchObject([{ measured: 2, edits: 12_500 }]);
  });

  test('only of the days that are asked for, and of the workspace that asks', async () => {
    await reviewed({ action: 'approve' });
    await mine.sql()`update review_days set day = '2026-02-03'`;
    expect(await reported({ from: '2026-02-03', to: '2026-02-03' })).toHaveLength(1);
    expect(await reported({ from: '2026-02-04', to: '2026-03-01' })).toEqual([]);
    const neighbour = await openReviewers(app);
    const all = { from: '2026-01-01', to: '2026-12-31' };
    expect(await reported(all, neighbour.founder)).toEqual([]);
    expect(await reported(all)).toHaveLength(1);
  });
});

describe('the edit distance of a text', () => {
  test.each([
    ['the same text', 'Pay the invoice.', 'Pay the invoice.', 'en', { edits: 0, words: 4 }],
    ['one other word', 'Pay the invoice.', 'Pay the bill.', 'en', { edits: 1, words: 4 }],
    ['a word more', 'Pay the bill.', 'Pay the whole bill.', 'en', { edits: 1, words: 5 }],
    ['other white space', 'Pay  the\nbill.', ' Pay the bill. ', 'en', { edits: 0, words: 4 }],
    ['composed and decomposed letters', 'café', 'cafe\u0301', 'fr', { edits: 0, words: 1 }],
    ['a text where there was none', '', 'Pay the bill', 'en', { edits: 3, words: 3 }],
    ['nothing', '', ' ', 'en', { edits: 0, words: 0 }],
    ['Japanese, which has no spaces', '請求書を支払う。', '勘定書を支払う。', 'ja', { edits: 1, words: 5 }],
  ])('of %s', (_, before, after, language, expected) => {
    expect(measureEditAtOnce(before, after, language)).toEqual(expected);
  });

  test('is the one that a plain matrix gives', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 150 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const words = Math.max(one.length, other.length);
        expect(measureEditAtOnce(one.join(' '), other.join(' '), 'en')).toEqual({
          edits: byMatrix(one, other),
          words,
        });
      }),
    );
  });

  test('long texts are left for later, and other requests get their turn', async () => {
    const before = '.,'.repeat(25_000);
    const after = ';:'.repeat(25_000);
    expect(measureEditAtOnce(before, after, 'en')).toBeUndefined();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await measureEdit(before, after, 'en')).toEqual({ edits: 50_000, words: 50_000 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  test('nothing is said of texts that are longer than any that is reviewed', async () => {
    expect(await measureEdit('a '.repeat(100_001), 'a', 'en')).toBeUndefined();
  });
});

function byMatrix(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, word] of one.entries()) {
    const next = [i + 1];
    for (const [j, against] of other.entries())
      next.push(
        Math.min(
          (row[j] as number) + (word === against ? 0 : 1),
          (row[j + 1] as number) + 1,
          (next[j] as number) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}
