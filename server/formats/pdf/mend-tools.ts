import type {
  AppliedTemplates,
  Doubt,
  ExtractOptions,
  Mend,
  MendedTexts,
  MendTools,
  PageTemplate,
  Recognition,
  SimilarPlace,
} from '../document.ts';
import { selectPages } from '../page-ranges.ts';
import { directionOf } from '../typesetting/languages.ts';
import { findBlocks } from './find-blocks.ts';
import { findSteps, type MendStep, marked, type ReadSeen, stepsOf } from './found-mends.ts';
import { Vocabulary } from './layout/vocabulary.ts';
import { Mends, pagesOf } from './mends.ts';
import { type OpenPdf, withPdf } from './open-pdf.ts';
import { recognize, signsOf } from './page-templates.ts';
import type { PageOfBlocks } from './running-headers.ts';
import { Scans } from './scans/scans.ts';
import { pageRectangle, segmentsOf } from './segments.ts';
import { type SeenText, seenTexts, similarPlaces } from './similar-places.ts';
import { pageOfBlock } from './text-block.ts';
import { pageOfItems } from './word/word-items.ts';
import { placesOf } from './word/word-rows.ts';

/* What reviewers do with the texts of pages (`MendTools`). */

function textsOf(
  bytes: Uint8Array,
  options: ExtractOptions,
  of: readonly number[] | { last: number },
): Promise<MendedTexts> {
  return withPdf(bytes, async (pdf) => {
    const vocabulary = new Vocabulary();
    const scans = new Scans(options.recognition);
    const doubts: Doubt[] = [];
    const mends = new Mends(options.mends, doubts);
    const direction = directionOf(options.sourceLanguage ?? 'en');
    const places = new Map<string, string>();
    const pages: PageOfBlocks[] = [];
    const kept: MendedTexts['kept'] = [];
    const numbers = 'last' in of ? pagesOf((options.mends ?? []).slice(-of.last)) : of;
    for (const number of numbers) {
      const page = scans.content(number) ?? (await pdf.readPage(number));
      const found = findBlocks(page, vocabulary, mends);
      if (scans.has(number)) scans.keepWords(found.blocks);
      const items = pageOfItems(page, found);
      for (const [id, place] of placesOf(items, direction)) places.set(id, place);
      pages.push({ box: items.box, rotation: items.rotation, blocks: items.blocks });
      for (const { id, text, reason, box } of found.kept)
        if (id !== undefined) kept.push({ id, page: number, text, reason, rectangle: pageRectangle(box) });
    }
    const segments = segmentsOf(pages, mends.texts([]), { places, scans, vocabulary });
    return { segments, kept, doubts, made: (options.mends ?? []).map((one) => mends.madeBy(one)) };
  });
}

function find(
  bytes: Uint8Array,
  { mends = [], recognition }: ExtractOptions,
  other: Uint8Array,
  otherRecognition: Recognition | undefined,
): Promise<Mend[]> {
  return withPdf(bytes, (pdf) =>
    withPdf(other, async (next) => {
      const steps = await stepsOf(mends, readSeen(pdf, recognition));
      // The pages nearest to that of the mend come first.
      const numbers = Array.from({ length: next.pageCount }, (_, at) => at + 1);
      const near = ({ texts: [first] }: MendStep) =>
        numbers.toSorted((one, two) => Math.abs(one - first!.page) - Math.abs(two - first!.page));
      const found = await findSteps(steps, readSeen(next, otherRecognition), near);
      return found.filter((mend) => mend.kind !== 'keep');
    }),
  );
}

function templates(
  bytes: Uint8Array,
  { mends = [], recognition }: ExtractOptions,
  kept: readonly string[],
): Promise<{ page: number; template: PageTemplate }[]> {
  return withPdf(bytes, async (pdf) => {
    const read = readSeen(pdf, recognition);
    const steps = await stepsOf(mends, read);
    for (const id of kept)
      for (const text of await read(pageOfBlock(id), mends))
        if (text.id === id) steps.push({ mend: { kind: 'keep', id }, texts: [marked(text)] });
    const byPage = Map.groupBy(steps, ({ texts: [first] }) => first!.page);
    const made: { page: number; template: PageTemplate }[] = [];
    for (const [page, own] of byPage) {
      const signs = signsOf(await pdf.readPage(page), await read(page, []));
      // A text on two pages cannot be found on one.
      if (own.every(({ texts }) => texts.every((text) => text.page === page)))
        made.push({ page, template: { signs, steps: own } });
    }
    return made;
  });
}

function apply(
  bytes: Uint8Array,
  { recognition, pages }: ExtractOptions,
  known: readonly PageTemplate[],
): Promise<AppliedTemplates> {
  return withPdf(bytes, async (pdf) => {
    const read = readSeen(pdf, recognition);
    const applied: AppliedTemplates = { mends: [], kept: [], pages: [] };
    for (const number of selectPages(pages, pdf.pageCount)) {
      const signs = signsOf(await pdf.readPage(number), await read(number, []));
      const fitting = known.flatMap(({ signs: own, steps }, template) => {
        const found = recognize(own, signs);
        return found ? [{ page: number, template, steps: steps as MendStep[], ...found }] : [];
      });
      const [best] = fitting.sort((one, other) => other.found / other.of - one.found / one.of);
      if (!best) continue;
      const { steps, ...place } = best;
      const found = await findSteps(steps, read, () => [number]);
      if (found.length < steps.length) continue;
      applied.pages.push(place);
      for (const mend of found)
        if (mend.kind === 'keep') applied.kept.push(mend.id);
        else applied.mends.push(mend);
    }
    return applied;
  });
}

function readSeen(pdf: OpenPdf, recognition: Recognition | undefined): ReadSeen {
  const scans = new Scans(recognition);
  const known = new Map<string, SeenText[]>();
  return async (number, mends) => {
    if (number > pdf.pageCount) return [];
    const all = new Mends(mends);
    const key = `${number} ${JSON.stringify(all.ofPage(number).mends)}`;
    const found = known.get(key);
    if (found) return found;
    const page = scans.content(number) ?? (await pdf.readPage(number));
    const texts = seenTexts(findBlocks(page, undefined, all), number);
    known.set(key, texts);
    return texts;
  };
}

function similar(
  bytes: Uint8Array,
  options: ExtractOptions,
  like: SimilarPlace['mend'],
): Promise<SimilarPlace[]> {
  return withPdf(bytes, async (pdf) => {
    const read = readSeen(pdf, options.recognition);
    const pages: SeenText[][] = [];
    for (const number of selectPages(options.pages, pdf.pageCount))
      pages.push(await read(number, options.mends ?? []));
    return similarPlaces(pages, like);
  });
}

export const mendTools: MendTools = { texts: textsOf, similar, find, templates, apply };
