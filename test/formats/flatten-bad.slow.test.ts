import { describe, expect, it } from 'vitest';
import { documentKind } from '#server/formats/document-kind.ts';
import type { FileErrorReason } from '#server/formats/file-error.ts';
import { flatten } from '#server/formats/flatten.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';

/** The result for each hostile or broken file of the corpus: an error reason, or the beginning of its text. */
const expected: Record<string, FileErrorReason | { text: string }> = {
  'deeply-nested.docx': { text: 'deep' },
  'empty-zip.docx': 'unreadable',
  'entity-bomb.docx': 'unreadable',
  'flate-bomb.pdf': 'too_large',
  'form-xobject-loop.pdf': { text: 'Hello' },
  'fuzzed-poppler.pdf': 'unreadable',
  'garbage-header.pdf': 'unreadable',
  'garbage.pdf': 'unreadable',
  'html-renamed.pdf': 'unreadable',
  'legacy-word-97-renamed.docx': 'unreadable',
  'malformed-xml.docx': 'unreadable',
  'missing-document-part.docx': 'unreadable',
  'nested-tables-3000.docx': { text: 'deep' },
  'no-pages.pdf': 'empty',
  'no-text.docx': 'empty',
  'over-1000000-elements.docx': 'too_large',
  'over-2000000-chars.docx': 'too_large',
  // The limit on segments does not apply here: it is for documents that keep their layout. Text files have a limit on
  // pages.
  'over-50000-segments.docx': { text: 'Item 0 valve\n\nItem 1 pump' },
  'page-tree-loop.pdf': 'unreadable',
  'password-user.pdf': 'protected',
  'password.docx': 'protected',
  // Only parts to which other parts refer by name are read, and no file is written.
  'path-traversal.docx': { text: 'Hello traversal' },
  'pdf-renamed.docx': 'unreadable',
  'truncated.docx': 'unreadable',
  'truncated.pdf': 'unreadable',
  'xlsx-renamed.docx': 'unreadable',
  'xml-part-over-80MB.docx': 'too_large',
  'xxe.docx': 'unreadable',
  'zip-bomb-lying-size.docx': 'unreadable',
  'zip-bomb-overlap.docx': 'too_large',
  'zip-bomb-plain.docx': 'too_large',
};

describe('a file that cannot be read is rejected (B 4.1)', () => {
  it.each(corpusNames('bad'))('%s', async (name) => {
    const answer = await flatten(documentKind(name, '')!, corpusFile(`bad/${name}`)).catch(
      (error: unknown) => error,
    );
    const outcome = expected[name]!;
    if (typeof outcome === 'string') expect(answer).toMatchObject({ name: 'FileError', reason: outcome });
    else expect(String(answer).startsWith(outcome.text)).toBe(true);
  });

  it.each([
    ['over-1000000-elements.docx', '1,000,000'],
    ['xml-part-over-80MB.docx', '80,000,000'],
  ])('%s: the message names the limit and asks to split', async (name, limit) => {
    await expect(flatten('docx', corpusFile(`bad/${name}`))).rejects.toThrow(new RegExp(`${limit}.*split`));
  });
});
