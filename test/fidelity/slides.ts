import type { InlineContent } from '#server/formats/inline-content.ts';
import type { Includable } from '#server/formats/selection.ts';
import { openFile } from './opened-file.ts';
import { type FolderJudge, hasModules, runJudge, withSaved } from './strangers.ts';

const [open, close] = ['⟦', '⟧'];
const include: Includable[] = ['comments', 'masters', 'hidden'];
const options = { sourceLanguage: 'en', targetLanguage: 'de', include };

/**
 * Presentations, compared with their sources by python-pptx (`slides-judge.py`). If it is not installed, PYTHONPATH may
 * name its folder.
 */
export const slides: FolderJudge<'pptx'> = {
  title: 'Presentations',
  missing: () => (hasModules('pptx') ? undefined : 'python-pptx is not installed'),
  kindOf: (path) => (path.endsWith('.pptx') ? 'pptx' : undefined),
  most: Number.POSITIVE_INFINITY,
  counts: ['not read by the judge', 'segments', 'translated once', 'kept', 'wrong'],
  async judge(path, source, kind) {
    const file = await openFile(kind, source, options);
    const write = async (target: (source: InlineContent) => InlineContent) =>
      (await file.write((segment) => target(segment.source), options)).bytes;
    const faults: string[] = [];
    if (Buffer.compare(await write((text) => text), source) !== 0) faults.push('the identity differs');
    const { unaccounted } = file.outcome!;
    if (unaccounted) faults.push(`${unaccounted} characters are unaccounted`);
    const marked = await write((text) => [open, ...text, close]);
    const [before, after] = withSaved([[path, marked]], ([result]) =>
      runJudge('slides-judge.py', `${path}\n${result}\n`)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[] | string),
    );
    const segments = file.segments.length;
    if (typeof before === 'string') return { counts: [1, segments], faults };
    if (typeof after === 'string') faults.push(`the result cannot be read: ${after}`);
    else return { counts: [0, segments, ...compare(before!, after!, faults)], faults };
    return { counts: [0, segments], faults };
  },
};

/** A text without marks. Spaces that form columns become fewer if the text before them grows, so their number is ignored. */
const plainOf = (text: string): string =>
  text.replaceAll(/[⟦⟧\u00ad]/g, '').replaceAll(/[ \u00a0]{2,}/g, '  ');

/** Compares the texts of a translation with those of its source. @returns how many are translated, kept and wrong */
function compare(before: readonly string[], after: readonly string[], faults: string[]): number[] {
  if (before.length !== after.length) faults.push(`${before.length} paragraphs became ${after.length}`);
  const counts = { once: 0, kept: 0, wrong: 0 };
  for (const [index, text] of after.entries()) {
    const outside = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
    const source = before[index] ?? '';
    if (/[⟦⟧]/.test(outside) || plainOf(text) !== plainOf(source)) {
      counts.wrong++;
      faults.push(`wrong: ${JSON.stringify(source)} became ${JSON.stringify(text)}`);
    } else if (/\p{L}/u.test(outside)) {
      counts.kept++;
      faults.push(`kept: ${JSON.stringify(text)}`);
    } else if (text !== outside) counts.once++;
  }
  return Object.values(counts);
}
