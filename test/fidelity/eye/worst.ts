import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { countOf } from './figures.ts';
import { type Fault, faultKinds, type PageFigures } from './judge-page.ts';
import { sideBySide } from './pictures.ts';
import { writePng } from './png.ts';
import type { FileResult } from './run-file.ts';

/** A page of a translation, which is bad by one measure. */
export interface BadPage {
  file: FileResult;
  target: string;
  figures: PageFigures;
  /** How bad it is; 0 is good. */
  badness: number;
}

/** A measure by which pages are compared. */
export interface Measure {
  name: string;
  badness(page: PageFigures): number;
  /** The words that the picture marks. */
  faults(page: PageFigures): Fault[];
  /** How a reader is told the badness. */
  show(badness: number): string;
}

/** Pages with fewer words are too small for shares and averages. */
const fewest = 20;

const words = (badness: number): string => `${badness} words`;

export const measures: readonly Measure[] = [
  ...faultKinds.map(
    (kind): Measure => ({
      name: kind,
      badness: (page) => countOf(page, kind),
      faults: (page) => page.faults.filter((fault) => fault.kind === kind),
      show: words,
    }),
  ),
  {
    name: 'reading order',
    badness: ({ tau, words }) => (tau === null || words < fewest ? 0 : 1 - tau),
    faults: () => [],
    show: (badness) => `tau ${(1 - badness).toFixed(2)}`,
  },
  {
    name: 'position',
    badness: ({ iou, words }) => (iou === null || words < fewest ? 0 : 1 - iou),
    faults: () => [],
    show: (badness) => `IoU ${(1 - badness).toFixed(2)}`,
  },
];

/** The worst pages by a measure, each page in the script in which it is worst. */
export function worstPages(results: readonly FileResult[], measure: Measure, count: number): BadPage[] {
  const all = results.flatMap((file) =>
    file.judged.flatMap(({ target, pages }) =>
      pages.map((figures): BadPage => ({ file, target, figures, badness: measure.badness(figures) })),
    ),
  );
  const worst = new Map<string, BadPage>();
  for (const bad of all.filter(({ badness }) => badness > 0)) {
    const key = `${bad.file.name} ${bad.figures.page}`;
    if (bad.badness > (worst.get(key)?.badness ?? 0)) worst.set(key, bad);
  }
  return [...worst.values()].sort((one, other) => other.badness - one.badness).slice(0, count);
}

/** One line for each of the worst pages: measure, badness, file, page, script, some of the words. */
export function listWorst(results: readonly FileResult[], count: number): string {
  return measures
    .flatMap((measure) =>
      worstPages(results, measure, count).map(({ file, target, figures, badness }) => {
        const texts = measure.faults(figures).map(({ text }) => text);
        const some = texts.length === 0 ? '' : `: ${texts.slice(0, 8).join(' ')}`;
        const place = `${basename(file.path)} page ${figures.page} (${target})`;
        return `${measure.name}\t${measure.show(badness)}\t${place}${some}`;
      }),
    )
    .join('\n');
}

/**
 * Writes the pictures of the worst pages by each measure, and a page that shows them.
 *
 * @param output the directory with the translations
 * @param folder the directory of the pictures; its former content is removed
 */
export function writeWorst(
  results: readonly FileResult[],
  output: string,
  count: number,
  folder: string = join(output, 'worst'),
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const drawn = new Set<string>();
  const sections = measures.map((measure) => {
    const shown = worstPages(results, measure, count).map(({ file, target, figures, badness }) => {
      const name = `${measure.name.replaceAll(' ', '-')}-${file.name}-${figures.page}-${target}.png`;
      if (!drawn.has(name)) {
        drawn.add(name);
        const result = join(output, `${file.name}-${target}.pdf`);
        const picture = sideBySide(file.path, result, figures.page, measure.faults(figures), resolution);
        writeFileSync(join(folder, name), writePng(picture));
      }
      return `### ${basename(file.path)}, page ${figures.page}, ${target}: ${measure.show(badness)}\n\n![source and translation](${name})`;
    });
    return [`## ${measure.name}`, ...(shown.length > 0 ? shown : ['No page.'])].join('\n\n');
  });
  writeFileSync(
    join(folder, 'README.md'),
    `# The worst pages by each measure\n\n${introduction}\n\n${sections.join('\n\n')}\n`,
  );
}

const resolution = 60;

const introduction = `Source and translation, which \`npm run fidelity -- --eye\` has drawn. Each word is replaced by another that names it, so the texts have no
meaning. Words with the fault have red frames.`;
