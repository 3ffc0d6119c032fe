import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { viaRpc } from '../contract/call.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const critical = {
  severity: 'critical' as const,
  category: 'accuracy' as const,
  span: null,
  explanation: 'wrong',
  suggestion: null,
};

/** "wrong" has a critical issue, and "doubtful" a low score. */
const engine = recordingEngine({
  assessEach: async ({ segments }) =>
    answered(
      segments.map((text) => ({
        score: text === 'doubtful' ? 40 : 92,
        issues: text === 'wrong' ? [critical] : [],
        summary: 'judged',
      })),
    ),
});
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

async function list(input: Fields = {}) {
  const { status, body } = await mine.query('files', input);
  expect([status, body.detail]).toEqual([200, undefined]);
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body
  return body as any;
}
const inbox = async () =>
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body
  (await viaRpc(app, { path: 'reviews.inbox', type: 'query' }, { headers: mine.admin })).body as any;
const namesOf = ({ files }: { files: { source_file_name: string }[] }) =>
  files.map(({ source_file_name }) => source_file_name);
const named = (name: string, ...cells: string[]) => ({ source_document: workbookFile(cells, name) });

describe('documents.files', () => {
  test('returns each file with its progress, and the number of files in each state', async () => {
    await mine.translate([], named('b.xlsx', 'other'));
    const { id } = await mine.translate([], named('a.xlsx', 'wrong', 'doubtful', 'plain'));
    const page = await list();
    expect(page).toMatchObject({
      files: [
        {
          id,
          source_file_name: 'a.xlsx',
          source_format: 'xlsx',
          source_lang: 'en',
          target_lang: 'fr',
          segments: 3,
          confirmed: 0,
          critical: 1,
          flagged: 1,
          approved_at: null,
          changed_by: null,
        },
        { source_file_name: 'b.xlsx', segments: 1, confirmed: 0, critical: 0, flagged: 0 },
      ],
      next_cursor: null,
      counts: { translating: 0, needs_review: 2, approved: 0, failed: 0, more: false },
    });
    expect((await inbox()).tasks).toMatchObject([{ id, critical: 1, warnings: 1, drafts: 0 }, {}]);
    await mine.mutate('confirm', {
      document_id: id,
      segments: [{ position: 0, target_text: 'fr of wrong' }],
      confirm_critical: true,
      reason: { code: 'client_wants_it', note: 'The client insists on it.' },
      reviewer: 'Rev',
    });
    expect((await list()).files).toMatchObject([{ confirmed: 1, critical: 0, flagged: 1 }, { confirmed: 0 }]);
  });

  test('filters by state, and counts all states whatever the filter', async () => {
    const { id } = await mine.translate([], named('approved.xlsx', 'plain'));
    await mine.translate([], named('waiting.xlsx', 'other'));
    await mine.queue([], named('queued.xlsx', 'third'));
    expect((await mine.approve(id)).status).toBe(200);
    const counts = { translating: 1, needs_review: 1, approved: 1, failed: 0, more: false };
    for (const [state, name] of [
      ['translating', 'queued.xlsx'],
      ['needs_review', 'waiting.xlsx'],
      ['approved', 'approved.xlsx'],
    ] as const)
      expect(await list({ state })).toMatchObject({ files: [{ source_file_name: name }], counts });
    expect((await list({ state: 'failed' })).files).toEqual([]);
    expect((await list({ state: 'approved' })).files[0].changed_by).toBe('Rev');
  });

  test('filters by format, language and part of the name', async () => {
    await mine.queue([], named('Lease 100%.xlsx', 'one'));
    await mine.queue([], { ...named('Menu.xlsx', 'two'), target_lang: 'de' });
    expect(namesOf(await list({ text: '0%' }))).toEqual(['Lease 100%.xlsx']);
    expect(namesOf(await list({ text: 'MENU' }))).toEqual(['Menu.xlsx']);
    expect(namesOf(await list({ text: '_' }))).toEqual([]);
    expect(namesOf(await list({ target_lang: 'de' }))).toEqual(['Menu.xlsx']);
    expect(namesOf(await list({ format: 'pdf' }))).toEqual([]);
    expect(namesOf(await list({ format: 'xlsx' }))).toHaveLength(2);
    expect((await mine.query('files', { target_lang: 'tlh' })).status).toBe(422);
  });

  test('shows translations of one content with the same key', async () => {
    await mine.queue([], named('a.xlsx', 'one'));
    await mine.queue([], { ...named('a.xlsx', 'one'), target_lang: 'de' });
    await mine.queue([], named('a.xlsx', 'two'));
    const keys = (await list()).files.map(({ source_key }: Fields) => source_key);
    expect([keys[1] === keys[2], keys[0] === keys[1]]).toEqual([true, false]);
  });

  test.each([{}, { format: 'xlsx' }])('returns page by page, the last changed first (%j)', async (filter) => {
    for (const name of ['1.xlsx', '2.xlsx', '3.xlsx']) await mine.queue([], named(name, name));
    const first = await list({ ...filter, limit: 2 });
    expect(namesOf(first)).toEqual(['3.xlsx', '2.xlsx']);
    const rest = await list({ ...filter, limit: 2, cursor: first.next_cursor });
    expect([namesOf(rest), rest.next_cursor]).toEqual([['1.xlsx'], null]);
    // The states are counted once, for the first page.
    expect([first.counts.translating, rest.counts]).toEqual([3, null]);
  });
});
