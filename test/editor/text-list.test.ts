import { describe, expect, test } from 'vitest';
import type { TranslationJob } from '#sdk/types.ts';
import { readTextSearch } from '#web/app/editor/texts/filters.ts';
import { isDecidable, type ListedText, TextList } from '#web/app/editor/texts/text-list.ts';
import { commonLanguages, countStatuses, holdersOf } from '#web/app/editor/texts/use-shown.ts';

const listed = (id: string, change: Partial<ListedText> = {}): ListedText => ({
  id,
  updated_at: '2026-01-01T00:00:00.000Z',
  status: 'todo',
  source_lang: 'en',
  target_lang: 'fr',
  is_own_decision: false,
  is_html: false,
  context: null,
  max_length: null,
  length_unit: null,
  domain: 'legal',
  submitter: null,
  source_text: `source ${id}`,
  target_text: `target ${id}`,
  is_cut: false,
  pipeline_text: null,
  issues: [],
  score: 90,
  threshold: 85,
  reasons: [],
  claimed_by: [],
  ...change,
});

const later = '2026-01-02T00:00:00.000Z';

const job = (id: string, status: string, text: string, updated_at = later) =>
  ({
    id,
    status,
    final_translation: text,
    updated_at,
    request: { source_text: `source ${id}`, metadata: { review_pipeline_candidate: `target ${id}` } },
  }) as unknown as TranslationJob;

const listOf = (...texts: ListedText[]) => {
  const list = new TextList();
  list.take(texts);
  return list;
};

describe('a list of texts', () => {
  test('keeps the position of each text, and adds further ones at the end', () => {
    const list = listOf(listed('a'), listed('b'));
    list.take([listed('c'), listed('b', { updated_at: later, target_text: 'new' })]);
    expect(list.all().map(({ id, position, target_text }) => [id, position, target_text])).toEqual([
      ['a', 0, 'target a'],
      ['b', 1, 'new'],
      ['c', 2, 'target c'],
    ]);
    expect(list.positionOf('c')).toBe(2);
    expect(list.positionOf('d')).toBeUndefined();
  });

  test('ignores a page that was read before a later change, except for who works on a text', () => {
    const list = listOf(listed('a', { updated_at: later, target_text: 'new' }));
    list.take([listed('a', { claimed_by: ['ada@example.org'] })]);
    expect(list.at(0)).toMatchObject({ target_text: 'new', version: later, holders: ['ada@example.org'] });
    list.takeJob(job('a', 'awaiting_review', 'old', '2026-01-01T12:00:00.000Z'));
    expect(list.at(0).target_text).toBe('new');
  });

  test('shows the state of a job after a review', () => {
    const list = listOf(listed('a'), listed('b', { status: 'critical' }), listed('c'), listed('d'));
    list.takeJob(job('a', 'awaiting_review', 'draft'));
    list.takeJob(job('b', 'awaiting_review', 'draft'));
    list.takeJob(job('c', 'human_edited', 'text'));
    list.takeJob(job('d', 'rejected', 'target d'));
    expect(list.all().map(({ status, confirmed_at }) => [status, confirmed_at])).toEqual([
      ['draft', null],
      ['warning', null],
      ['confirmed', later],
      ['rejected', later],
    ]);
    expect(countStatuses(list.all())).toEqual({
      segments: 4,
      statuses: { todo: 0, draft: 1, warning: 1, critical: 0, confirmed: 2 },
    });
  });

  test('keeps the findings of the machine translation only with that translation', () => {
    const issues: ListedText['issues'] = [
      { severity: 'critical', category: 'accuracy', span: null, explanation: 'x', suggestion: null },
    ];
    const list = listOf(listed('a', { issues }), listed('b', { issues }));
    list.takeJob(job('a', 'awaiting_review', 'target a'));
    list.takeJob(job('b', 'awaiting_review', 'other'));
    expect(list.all().map(({ quality }) => quality.issues)).toEqual([issues, []]);
  });

  test('lets no one decide about a text that is decided or not loaded whole', () => {
    const list = listOf(listed('a', { is_cut: true }), listed('b', { status: 'confirmed' }), listed('c'));
    expect(list.all().map(isDecidable)).toEqual([false, false, true]);
    list.takeJob(job('a', 'awaiting_review', 'whole', '2026-01-01T00:00:00.000Z'));
    expect(isDecidable(list.at(0))).toBe(true);
    expect(list.at(0)).toMatchObject({ target_text: 'whole', status: 'todo' });
  });

  test('calls its listeners at each change', () => {
    const list = listOf(listed('a'));
    let changes = 0;
    const forget = list.subscribe(() => {
      changes += 1;
    });
    list.update(0, { status: 'critical' });
    list.takeJob(job('unknown', 'rejected', ''));
    expect(changes).toBe(1);
    forget();
    list.update(0, { status: 'todo' });
    expect(changes).toBe(1);
  });
});

test('the languages of texts are common only if all have both', () => {
  const list = listOf(listed('a'), listed('b'));
  expect(commonLanguages(list.all())).toEqual({ source: 'en', target: 'fr' });
  list.take([listed('c', { target_lang: 'de' })]);
  expect(commonLanguages(list.all())).toBeUndefined();
  expect(commonLanguages([])).toBeUndefined();
});

test('a text is held by those who have opened it, and by members whose claim lasts', () => {
  const list = listOf(listed('a', { claimed_by: ['ada'] }), listed('b'), listed('c'));
  const held = new Map([
    ['b', Date.now() + 60_000],
    ['c', Date.now() - 1],
  ]);
  expect([...holdersOf(list.all(), held)]).toEqual([
    [0, ['ada']],
    [1, []],
  ]);
});

test('the parameters of the URL are read, and invalid ones are ignored', () => {
  expect(
    readTextSearch({
      item: 'a'.repeat(32),
      source: 'en',
      target: '',
      trigger: 'critical_issue',
      status: 'draft',
      text: 2026,
      domain: null,
      submitter: 'app',
      other: 'x',
    }),
  ).toEqual({
    item: 'a'.repeat(32),
    source: 'en',
    trigger: 'critical_issue',
    status: 'draft',
    text: '2026',
    domain: null,
    submitter: 'app',
  });
  // Without a blank domain, the list would have texts of other tasks.
  expect(readTextSearch({ domain: '', submitter: ' ', text: ' ' })).toEqual({ domain: '', submitter: ' ' });
  const assigned = { step: 'first', assignee: 'u', second: null, due_at: null };
  expect(readTextSearch({ assigned: { ...assigned, other: 1 } })).toEqual({ assigned });
  expect(readTextSearch({ assigned: { step: 'third' } })).toEqual({});
  expect(readTextSearch({ trigger: 'x', status: 'rejected', item: {}, domain: 5 })).toEqual({ domain: '5' });
});
