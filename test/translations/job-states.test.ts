import { expect, test } from 'vitest';
import { advance, isDownloadable, sourcesOf } from '#server/texts/job-states.ts';
import { jobStatus } from '#server/texts/schema.ts';

test('only awaiting_review and refined jobs can be reviewed', () => {
  expect(sourcesOf('approved').sort()).toEqual(['awaiting_review', 'refined']);
  expect(sourcesOf('rejected').sort()).toEqual(['awaiting_review', 'refined']);
});

test('only published and human_edited jobs can be downloaded', () => {
  expect(jobStatus.options.filter(isDownloadable).sort()).toEqual(['human_edited', 'published']);
});

test('published, edited and rejected are final', () => {
  for (const end of ['published', 'human_edited', 'rejected'] as const)
    for (const to of jobStatus.options) expect(() => advance(end, to)).toThrow();
});

test('the transitions through the pipeline and through review', () => {
  expect(advance('pending', 'translated', 'published')).toBe('published');
  expect(advance('awaiting_review', 'awaiting_review', 'approved', 'human_edited')).toBe('human_edited');
  expect(advance('approved', 'persistence_failed', 'published')).toBe('published');
  expect(advance('failed', 'pending')).toBe('pending');
  expect(() => advance('pending', 'published')).toThrow('no transition from pending to published');
  expect(() => advance('awaiting_review', 'published')).toThrow();
});
