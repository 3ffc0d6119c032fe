import { FileError } from '../file-error.ts';
import { type ChartPlace, type ChartText, readChartTexts } from '../office/chart-texts.ts';
import { type OfficeFile, openOfficeFile, wholeParts } from '../office/office-format.ts';
import type { OfficePackage, Relationship } from '../office/package.ts';
import type { PartText } from '../office/part-text.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import { KeptContent } from './kept-content.ts';
import { countListLabels } from './list-labels.ts';
import type { ParagraphResult, Story, StoryResult } from './story.ts';
import type { StoryParagraph } from './story-paragraph.ts';
import { readStory } from './story-reader.ts';
import { readStyles, Styles } from './styles.ts';
import { rootOfPart } from './word-xml.ts';

/** A story with the path of its XML part. */
export interface StoryPart extends Story {
  path: string;
  text: PartText;
}

/** The result of reading a story, with its part. */
export interface StoryResultOf<T> extends StoryResult<T> {
  part: StoryPart;
}

/** A chart whose texts are translated. */
export interface Chart extends ChartPlace {
  path: string;
  text: PartText;
  texts: ChartText[];
  /** Whether the chart has a data sheet. When the data are edited, Word copies the names from there again. */
  hasDataSheet: boolean;
}

/** The result of reading a Word file. */
export interface WordStories<T> {
  file: OfficeFile;
  /**
   * The headers, the main text, the footers, and the footnotes, endnotes and comments that are included, in this order.
   */
  stories: StoryResultOf<T>[];
  /** The charts, if they are included, in the order of the stories that refer to them. */
  charts: Chart[];
  kept: KeptContent;
  pages: number;
}

/**
 * Reads the stories of a Word file: the main text, and the headers and footers in the order of their sections.
 *
 * @param include the texts that are read although they are left out by default
 * @param use returns the result for a paragraph with text to translate. It may be called twice for the same paragraph
 *   (see `readStory`)
 * @throws {FileError} `unreadable`, `protected` or `too_large`
 */
export async function readStories<T extends ParagraphResult>(
  bytes: Uint8Array,
  included: readonly Includable[],
  use: (paragraph: StoryParagraph, story: StoryPart, styles: Styles) => T,
): Promise<WordStories<T>> {
  const file = await openOfficeFile(bytes, 'a Word document');
  const { office, main: mainPath, relationships: ofMain } = file;
  const whole = wholeParts(office, 'Word file', 'main text, headers and footers');
  const count = whole.countElement;
  const styles = await readStylesPart(file);
  const include = new Set(included);
  const kept = new KeptContent(include);
  const read = async (path: string, kind: Story['kind'], keyPrefix: string) => {
    const text = await whole.read(path);
    const part: StoryPart = { kind, keyPrefix, source: text.source, path, text };
    const options = { styles, include, countElement: count };
    const result = readStory(part, options, (paragraph) => use(paragraph, part, styles));
    kept.addAll(result.kept);
    return { part, ...result };
  };

  const main = await read(mainPath, 'main', '');
  const around = { header: [] as StoryResultOf<T>[], footer: [] as StoryResultOf<T>[] };
  for (const { type, target } of inSectionOrder(ofMain, main.headersAndFooters)) {
    if (type !== 'header' && type !== 'footer') continue;
    around[type].push(await read(target, type, `${type}${around[type].length + 1}-`));
  }
  const notes: StoryResultOf<T>[] = [];
  for (const type of ['footnotes', 'endnotes', 'comments'] as const) {
    const targets = ofMain.flatMap(({ type: one, target }) => (one === type && target ? [target] : []));
    for (const [index, target] of [...new Set(targets)].entries()) {
      if (include.has(type)) notes.push(await read(target, type, index === 0 ? '' : `part${index + 1}-`));
      else kept.add(noteKinds[type], await countNotes(office, target, rootOfPart[type]!, count));
    }
  }
  const stories = [...around.header, main, ...around.footer, ...notes];
  const numbering = ofMain.find(({ type }) => type === 'numbering')?.target;
  if (numbering !== undefined) {
    const { source } = await office.readWhole(numbering);
    const sources = stories.map(({ part }) => part.source);
    kept.add('list_label', countListLabels(source, sources));
  }
  const charts = new Map<string, Chart>();
  for (const { part } of stories)
    for (const { type, target } of part.path === mainPath ? ofMain : await office.relationships(part.path)) {
      if (type === 'diagramData') kept.add('diagram');
      if (type !== 'chart' && type !== 'chartEx') continue;
      if (!include.has('charts') || target === undefined) kept.add('chart');
      else if (!charts.has(target)) {
        const text = await whole.read(target);
        const ofChart = await office.relationships(target);
        charts.set(target, {
          path: target,
          text,
          texts: readChartTexts(text.source, count),
          hasDataSheet: ofChart.some((relationship) => relationship.type === 'package'),
          keyPrefix: `chart${charts.size + 1}-p`,
          place: `${target}, chart ${charts.size + 1}, paragraph `,
          page: null,
        });
      }
    }
  return { file, stories, charts: [...charts.values()], kept, pages: main.pages };
}

/**
 * Reads the parts that format text by its style or its list.
 *
 * @throws {FileError} as `readStories` does
 */
export function readFormatParts({
  office,
  relationships,
}: OfficeFile): Promise<{ path: string; text: PartText }[]> {
  const paths = relationships.flatMap(({ type, target }) =>
    target && (type === 'styles' || type === 'numbering') ? [target] : [],
  );
  return Promise.all([...new Set(paths)].map(async (path) => ({ path, text: await office.readWhole(path) })));
}

/** @throws {FileError} as `readStories` does */
export async function readStylesPart({ office, relationships }: OfficeFile): Promise<Styles> {
  const path = relationships.find(({ type }) => type === 'styles')?.target;
  return path === undefined ? new Styles() : readStyles((await office.readWhole(path)).source);
}

/**
 * Returns the headers and footers in the order in which the sections refer to them, then those to which no section
 * refers. Each part occurs once.
 */
function inSectionOrder(
  relationships: readonly Relationship[],
  ids: readonly string[],
): { type: string; target: string }[] {
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const seen = new Set<string>();
  return [...ids.map((id) => byId.get(id)), ...relationships].flatMap((relationship) => {
    if (!relationship?.target || !['header', 'footer'].includes(relationship.type)) return [];
    const { type, target } = relationship;
    if (seen.has(target)) return [];
    seen.add(target);
    return [{ type, target }];
  });
}

/** The types of parts with notes and comments, each with the kind of its texts. */
const noteKinds = { footnotes: 'footnote', endnotes: 'endnote', comments: 'comment' } as const;

/** Counts the notes or comments of a part that contain a letter. */
async function countNotes(
  office: OfficePackage,
  path: string,
  root: string,
  countElement: () => void,
): Promise<number> {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  let notes = 0;
  let depth = 0;
  let hasLetter = false;
  let isText = false;
  await office.readPart(path, {
    openTag: ({ name }) => {
      countElement();
      if (++depth === 1 && local(name) !== root)
        throw new FileError(
          'unreadable',
          'the content of a part of the Word file does not match its declared type',
        );
      if (depth === 2) hasLetter = false;
      isText = local(name) === 't';
    },
    closeTag: () => {
      isText = false;
      if (--depth === 1 && hasLetter) notes++;
    },
    text: (text) => {
      if (isText && letter.test(text)) hasLetter = true;
    },
  });
  return notes;
}
