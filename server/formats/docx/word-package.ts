import type { SegmentKey } from '../document.ts';
import { FileError } from '../file-error.ts';
import type { InlineContent } from '../inline-content.ts';
import { type ChartPlace, type ChartText, readChartTexts } from '../office/chart-texts.ts';
import { type OfficeFile, openOfficeFile, wholeParts } from '../office/office-format.ts';
import type { OfficePackage, Relationship } from '../office/package.ts';
import type { PartText } from '../office/part-text.ts';
import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import { KeptContent } from './kept-content.ts';
import type { ParagraphResult, Story, StoryParagraph, StoryResult } from './story.ts';
import { readStory } from './story-reader.ts';
import { readStoryWords, type WordsPlace, writeStoryWords } from './story-words.ts';
import { readStyles, Styles } from './styles.ts';
import { rootOfPart } from './word-xml.ts';

/** A story with the path of its XML part. */
export interface StoryPart extends Story {
  path: string;
  text: PartText;
}

/** The result of reading a story, with its part. */
interface StoryResultOf<T> extends StoryResult<T> {
  part: StoryPart;
  /** The words that are in no paragraph. */
  words: WordsPlace[];
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
interface WordStories<T> {
  file: OfficeFile;
  /**
   * The headers, the main text, the footers, and the footnotes, endnotes and comments that are included, in this order.
   */
  stories: StoryResultOf<T>[];
  /** The charts, if they are included, in the order of the stories that refer to them. */
  charts: Chart[];
  kept: KeptContent;
  /** The labels of lists with words, which stay, and the prompts that Word shows in empty content controls. */
  labels: string[];
  prompts: string[];
  pages: number;
}

/**
 * Reads the stories of a Word file: the main text, and the headers and footers in the order of their sections.
 *
 * @param include the texts that are read although they are left out by default
 * @param use returns the result for a paragraph with text to translate. It may be called twice for the same paragraph
 *   (see `readStory`)
 * @param targetOf returns the translation of words that are in no paragraph. They are written before the story is read
 * @throws {FileError} `unreadable`, `protected` or `too_large`
 */
export async function readStories<T extends ParagraphResult>(
  bytes: Uint8Array,
  included: readonly Includable[],
  use: (paragraph: StoryParagraph, story: StoryPart, styles: Styles) => T,
  targetOf: (key: SegmentKey) => InlineContent | undefined = () => undefined,
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
    const words = readStoryWords(text.source, include);
    const source = writeStoryWords(text.source, words, keyPrefix, targetOf);
    const part: StoryPart = { kind, keyPrefix, source, path, text };
    const options = { styles, include, countElement: count };
    const result = readStory(part, options, (paragraph) => use(paragraph, part, styles));
    kept.addAll(result.kept);
    return { part, words, ...result };
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
  const sources = stories.map(({ part }) => part.source);
  const labels =
    numbering === undefined ? [] : findListLabels((await office.readWhole(numbering)).source, sources);
  kept.add('list_label', labels.length);
  const glossary = ofMain.find(({ type }) => type === 'glossaryDocument')?.target;
  const prompts = glossary === undefined ? [] : await readPrompts(office, glossary);
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
  return { file, stories, charts: [...charts.values()], kept, labels, prompts, pages: main.pages };
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

/** Returns the texts of the building blocks that are stored in a file: the prompts of its content controls. */
async function readPrompts(office: OfficePackage, path: string): Promise<string[]> {
  const texts: string[] = [];
  let isText = false;
  await office.readPart(path, {
    openTag: ({ name }) => {
      const local = name.slice(name.indexOf(':') + 1);
      if (local === 'docPartBody') texts.push('');
      isText = local === 't';
    },
    closeTag: () => {
      isText = false;
    },
    text: (text) => {
      if (isText && texts.length > 0) texts[texts.length - 1] += text;
    },
  });
  return texts.filter((text) => letter.test(text));
}

/** A level of a list, such as `Article %1`. */
interface Level {
  level: string;
  isBullet: boolean;
  text: string;
  /** The style whose paragraphs have this level; '' if there is none. */
  style: string;
}

/** Word numbers the levels from 0. */
const firstLevel = '0';
/** The maximum number of levels of a list in Word. */
const maxLevels = 9;

/**
 * Returns the list labels with words that the paragraphs of a file use. They are kept: a label is a pattern for a number,
 * which has no context to translate from, and whose words may have to change their order or their ending.
 *
 * @param numbering the XML of the part with the lists
 * @param stories the XML of the stories
 */
function findListLabels(numbering: string, stories: readonly string[]): string[] {
  const { lists, levels } = readLists(numbering);
  if (![...levels.values()].flat().some(({ text }) => hasWord(text))) return [];
  const used = new Set<Level>();
  const ofStyles = new Map([...levels.values()].flat().map((level) => [level.style, level]));
  const use = (level: Level | undefined): void => {
    if (level && !level.isBullet && hasWord(level.text)) used.add(level);
  };
  for (const source of stories) {
    let level = firstLevel;
    for (const [tag, name] of source.matchAll(/<(?:\w+:)?(pStyle|numPr|ilvl|numId)\b[^<>]*>/g)) {
      const value = /\bval\s*=\s*["']([^"']*)/.exec(tag)?.[1] ?? '';
      if (name === 'pStyle' && value !== '') use(ofStyles.get(value));
      else if (name === 'numPr') level = firstLevel;
      else if (name === 'ilvl') level = value;
      else
        use(
          lists
            .get(value)
            ?.flatMap((id) => levels.get(id) ?? [])
            .find((one) => one.level === level),
        );
    }
  }
  return [...used].map(({ text }) => text);
}

/** Whether the text of a label has a word besides its numbers, such as `%1`. A single letter is a sign. */
function hasWord(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/%\d/g, ' '));
}

/**
 * Reads the lists of a file.
 *
 * @returns for each list, the keys of its levels: first those that it changes, then those of the list that it uses
 */
function readLists(numbering: string): { lists: Map<string, string[]>; levels: Map<string, Level[]> } {
  const lists = new Map<string, string[]>();
  const levels = new Map<string, Level[]>();
  let list = '';
  let key = '';
  let level: Level | undefined;
  const valueIn = (tag: XmlStartTag): string => attributeOf(tag, 'val') ?? '';
  const start: Record<string, (tag: XmlStartTag) => void> = {
    abstractNum: (tag) => {
      key = `abstract ${attributeOf(tag, 'abstractNumId')}`;
    },
    num: (tag) => {
      list = attributeOf(tag, 'numId') ?? '';
      key = `own ${list}`;
      lists.set(list, [key]);
    },
    abstractNumId: (tag) => void lists.get(list)?.push(`abstract ${valueIn(tag)}`),
    lvl: (tag) => {
      level = { level: attributeOf(tag, 'ilvl') ?? firstLevel, isBullet: false, text: '', style: '' };
      const own = levels.get(key);
      if (own && own.length < maxLevels) own.push(level);
      else if (!own) levels.set(key, [level]);
    },
    numFmt: (tag) => level && Object.assign(level, { isBullet: valueIn(tag) === 'bullet' }),
    lvlText: (tag) => level && Object.assign(level, { text: valueIn(tag) }),
    pStyle: (tag) => level && Object.assign(level, { style: valueIn(tag) }),
  };
  readPositionedXml(numbering, {
    openTag: (tag) => Object.hasOwn(start, tag.local) && start[tag.local]!(tag),
  });
  return { lists, levels };
}
