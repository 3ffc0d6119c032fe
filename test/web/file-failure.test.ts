import { expect, test } from 'vitest';
import { failureOf, StageTimeout } from '#server/documents/failure.ts';
import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { fileFailureText } from '#web/app/parts/file-failure.ts';
import english from '../../web/locales/en/problems.json' with { type: 'json' };

/** The others are only in responses to a submission. */
const reasons: Record<Exclude<FileErrorReason, 'existing'>, string> = {
  unreadable: english.file_unreadable,
  protected: english.file_protected,
  empty: english.file_empty,
  not_text: english.file_not_text,
  too_large: english.file_too_large,
  selection: english.file_selection,
};

const textOf = (error: Error) =>
  fileFailureText(
    failureOf(error, 'extract', 0),
    (id) => english[id.replace('problems.', '') as keyof typeof english],
  );

test.each(Object.entries(reasons))(
  'a file that is %s is explained in words of the interface',
  (reason, text) => {
    expect(textOf(new FileError(reason as FileErrorReason, 'in English'))).toBe(text);
  },
);

test('a time limit is explained, and for another reason the message of the service is shown', () => {
  expect(textOf(new StageTimeout())).toBe(english.file_slow);
  const unknown = { ...failureOf(new FileError('empty', 'it is odd'), 'extract', 0), error_type: 'file_odd' };
  expect(fileFailureText(unknown, () => 'never')).toBe('it is odd');
});
